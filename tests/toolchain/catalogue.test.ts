import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { catalogue, defaultVersions, programsOf, versions } from "../../toolchain/catalogue.ts";
import { choose } from "../../toolchain/choose.ts";
import { platforms } from "../../toolchain/platform.ts";
import type { ProgramSet } from "../../toolchain/program.ts";
import { configuredSources } from "../../toolchain/sources/configured.ts";
import { releaseSource } from "../../toolchain/sources/release.ts";

const modules = join(import.meta.dirname, "../../toolchain/modules");
const all = catalogue.flatMap((set) =>
  set.programs.map((program) => [`${program.name} ${program.version}`, set, program] as const),
);

test.each(catalogue.filter((set) => set.build).map((set) => [set.name, set]))(
  "the Go module of %s names exactly what is built from it",
  async (_, set: ProgramSet) => {
    const text = await readFile(join(modules, set.name, "go.mod"), "utf8");
    const tools = /^tool (?:\(([^)]*)\)|(.+))$/m.exec(text);
    const listed = (tools?.[1] ?? tools?.[2] ?? "").split("\n").map((line) => line.trim());
    const built = set.programs.flatMap(({ module }) => (module?.kind === "build" ? [module.package] : []));
    const own = /^module (.+)$/m.exec(text)?.[1];
    expect(listed.filter((line) => line !== "").sort()).toEqual(built.filter((name) => name !== own).sort());
    for (const { module, version } of set.programs)
      expect(text).toMatch(new RegExp(`\\b${module!.module} v${version.replaceAll(".", "\\.")}\\b`));
  },
);

test.each(all)("%s can be had on every platform it exists for", (_, set, program) => {
  for (const platform of program.platforms ?? platforms) {
    const offers = configuredSources({}).filter((source) => source.offers(set, program, platform) !== undefined);
    expect(offers.map((source) => source.name)).toContain(set.build ? "module" : "release");
  }
});

test("the publishers' addresses are filled in", () => {
  const address = (name: string, platform: (typeof platforms)[number]) => {
    const [, set, program] = all.find(([, , candidate]) => candidate.name === name)!;
    return releaseSource().offers(set, program, platform);
  };
  expect(address("pulumi", "linux/amd64")).toBe("https://get.pulumi.com/releases/sdk/pulumi-v3.259.0-linux-x64.tar.gz");
  expect(address("pulumi", "darwin/arm64")).toBe(
    "https://get.pulumi.com/releases/sdk/pulumi-v3.259.0-darwin-arm64.tar.gz",
  );
  expect(address("kube-apiserver", "linux/arm64")).toBe("https://dl.k8s.io/v1.35.3/bin/linux/arm64/kube-apiserver");
  expect(address("kube-apiserver", "darwin/arm64")).toBeUndefined();
  expect(address("etcdutl", "linux/amd64")).toBe(
    "https://github.com/etcd-io/etcd/releases/download/v3.6.6/etcd-v3.6.6-linux-amd64.tar.gz",
  );
  expect(address("versitygw", "linux/amd64")).toBe(
    "https://github.com/versity/versitygw/releases/download/v1.8.0/versitygw_v1.8.0_Linux_x86_64.tar.gz",
  );
  expect(address("karmada-scheduler", "linux/amd64")).toBeUndefined();
});

test("a version set has every program of its versions, and only theirs", () => {
  const other = { karmada: "1.17.1", kubernetes: "1.34.3", etcd: "3.6.8" };
  const names = programsOf(other, "linux/amd64").map(({ name, version }) => `${name} ${version}`);
  expect(names).toHaveLength(25);
  expect(names).toEqual(
    expect.arrayContaining(["karmada-agent 1.17.1", "kubelet 1.34.3", "etcdctl 3.6.8", "kwok 0.8.0"]),
  );
  expect(names).not.toEqual(expect.arrayContaining([expect.stringContaining("1.18.2")]));
  expect(programsOf(defaultVersions, "darwin/arm64").map(({ name }) => name)).not.toContain("kubelet");
  expect(versions.karmada).toEqual(["1.18.2", "1.17.1"]);
});

test("what only the tests use is had by name, and by nothing else", () => {
  const testsOnly = catalogue.filter((set) => set.testsOnly).flatMap((set) => set.programs.map(({ name }) => name));
  expect(testsOnly).toEqual([
    "versitygw",
    "prometheus-operator-crds",
    "prometheus-operator-rights",
    "proxy-server",
    "proxy-agent",
    "karmada-operator",
    "karmada-operator-config",
    "karmada-chart",
    "cfssl",
    "cfssljson",
    "prometheus",
    "prometheus-operator",
    "prometheus-config-reloader",
    "istiod",
    "istio-charts",
  ]);
  for (const platform of platforms)
    expect(choose([], {}, platform).map(({ name }) => name)).not.toEqual(expect.arrayContaining(testsOnly));
  expect(choose(testsOnly, {}, "linux/amd64")).toEqual([
    { name: "versitygw", version: "1.8.0" },
    { name: "prometheus-operator-crds", version: "0.85.0" },
    { name: "prometheus-operator-rights", version: "0.85.0" },
    { name: "proxy-server", version: "0.34.0" },
    { name: "proxy-agent", version: "0.34.0" },
    { name: "karmada-operator", version: "1.18.2" },
    { name: "karmada-operator-config", version: "1.18.2" },
    { name: "karmada-chart", version: "1.18.2" },
    { name: "cfssl", version: "1.6.5" },
    { name: "cfssljson", version: "1.6.5" },
    { name: "prometheus", version: "0.311.0" },
    { name: "prometheus-operator", version: "0.85.0" },
    { name: "prometheus-config-reloader", version: "0.85.0" },
    { name: "istiod", version: "0.0.0-20260827124520-eed52ebb66ad" },
    { name: "istio-charts", version: "0.0.0-20260827124520-eed52ebb66ad" },
  ]);
});

test("a version that is not pinned is refused with those that are", () => {
  expect(() => programsOf({ ...defaultVersions, karmada: "1.16.0" })).toThrow(
    "no pinned version karmada-1.16.0, there is karmada-1.18.2, karmada-1.17.1",
  );
});

test("names on the command line mean the version set's version, or the one given", () => {
  expect(choose(["etcd", "karmadactl@v1.17.1"], { etcd: "3.6.8" }, "linux/amd64")).toEqual([
    { name: "etcd", version: "3.6.8" },
    { name: "karmadactl", version: "1.17.1" },
  ]);
  expect(choose([], {}, "linux/amd64")).toEqual(programsOf(defaultVersions, "linux/amd64"));
  expect(() => choose(["etcd@3.5.0"], {}, "linux/amd64")).toThrow(
    "etcd@3.5.0: not a pinned version, there is 3.6.6, 3.6.16, 3.6.8, 3.5.35",
  );
  expect(() => choose(["etdc"], {}, "linux/amd64")).toThrow(
    "etdc: not in the list of programs, want some of pulumi, etcd,",
  );
});

test("sources are those of the environment, in its order", () => {
  const names = (text?: string) =>
    configuredSources(text === undefined ? {} : { KARMADA_TOOLCHAIN_SOURCES: text }).map(({ name }) => name);
  expect(names()).toEqual(["installed", "mirror", "release", "image", "module"]);
  expect(names("module, mirror")).toEqual(["module", "mirror"]);
  expect(() => names("registry")).toThrow(
    'KARMADA_TOOLCHAIN_SOURCES: got "registry", want some of installed, mirror, release, image, module',
  );
});
