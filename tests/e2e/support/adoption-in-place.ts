/** A Karmada that `karmadactl init` built is managed where it is: it notices nothing, and goes on without its stack. */
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import type { KubeClient, KubeObject } from "../../../lib/kube/client.ts";
import { resourceVersions } from "./resource-versions.ts";

/** What the steps go by, once it is there. */
export interface InPlace {
  readonly directory: string;
  readonly checkout: string;
  readonly hostKubeconfig: string;
  readonly host: KubeClient;
  readonly npm: (...args: string[]) => Promise<{ exitCode: number | undefined; stdout: string; text: string }>;
  readonly succeed: (...args: string[]) => Promise<string>;
}

interface Step {
  readonly op: string;
  readonly urn: string;
}

const core = "/api/v1/namespaces/karmada-system";
const apps = "/apis/apps/v1/namespaces/karmada-system";
const budgets = "/apis/policy/v1/namespaces/karmada-system/poddisruptionbudgets";
const scheduler = `${apps}/deployments/karmada-scheduler`;
const stack = "in-place";

/** Declares the steps. @param world is asked in each of them */
export function testAdoptionInPlace(world: () => InPlace): void {
  const manifests = () => join(world().checkout, "adopted", stack);
  const adopt = (...more: string[]) => [
    ...["run", "adopt", "--", "--kubeconfig", world().hostKubeconfig, "--stack", stack],
    ...more,
  ];
  const pulumi = (subcommand: string, ...more: string[]) => [
    ...["run", "--silent", "pulumi", "--", subcommand, "--stack", stack, "--non-interactive"],
    ...more,
  ];
  const up = (...more: string[]) => world().succeed(...pulumi("up", "--yes", "--skip-preview", ...more));
  const output = async () =>
    (await world().npm("run", "--silent", "pulumi", "--", "stack", "output", "--stack", stack, "--json")).stdout;
  const versions = () => resourceVersions(world().host);

  /** What a preview would do, by the object's kind and name; what stays the same is left out. */
  async function planned(...more: string[]): Promise<Record<string, string>> {
    const { exitCode, stdout, text } = await world().npm(...pulumi("preview", "--json", ...more));
    if (exitCode !== 0) throw new Error(text);
    const { steps } = JSON.parse(stdout.slice(stdout.indexOf("{"))) as { steps: Step[] };
    const changed = steps.filter(({ op }) => op !== "same" && op !== "refresh");
    return Object.fromEntries(changed.map(({ urn, op }) => [urn.split("::").at(-1), op]));
  }

  async function edit(file: string, change: (object: KubeObject) => void): Promise<void> {
    const path = join(manifests(), file);
    const object = parse(await readFile(path, "utf8")) as KubeObject;
    change(object);
    await writeFile(path, stringify(object));
  }

  test("what has no Karmada is refused, and nothing is written", async () => {
    const { exitCode, text } = await world().npm(...adopt("--in-place", "--namespace", "kube-system"));
    expect({ exitCode, text }).toMatchObject({
      exitCode: 1,
      text: expect.stringContaining("no kube-apiserver runs there"),
    });
    expect(await readdir(world().checkout)).not.toContain("adopted");
  });

  test("its objects are written as manifests, none with a secret", async () => {
    await world().host.create(`${core}/configmaps`, {
      metadata: { name: "site-notes" },
      data: { note: "yes", mode: "0644", day: "2026-11-25" },
    });
    const said = await world().succeed(...adopt("--in-place"));
    expect(said).toContain(
      "a Karmada that karmadactl init built in namespace karmada-system; nothing was changed there",
    );
    expect(said).toMatch(/member one: Push\n {2}member two: Pull/);
    const names = await readdir(manifests());
    for (const name of [
      "deployment-karmada-scheduler",
      "statefulset-etcd",
      "secret-karmada-cert",
      "configmap-site-notes",
    ])
      expect(names).toContain(`${name}.yaml`);
    const [{ items: deployments }, { items: services }] = await Promise.all([
      world().host.get<{ items: KubeObject[] }>(`${apps}/deployments`),
      world().host.get<{ items: KubeObject[] }>(`${core}/services`),
    ]);
    for (const { metadata } of deployments) expect(names).toContain(`deployment-${metadata?.name}.yaml`);
    for (const { metadata } of services) expect(names).toContain(`service-${metadata?.name}.yaml`);
    expect((await stat(manifests())).mode & 0o777).toBe(0o700);
    expect((await world().npm(...adopt("--in-place"))).text).toContain("Pulumi.in-place.yaml: is there already");
  });

  test("a directory of manifests that is there already is not written over", async () => {
    const file = join(world().checkout, `Pulumi.${stack}.yaml`);
    const text = await readFile(file, "utf8");
    await rm(file);
    expect((await world().npm(...adopt("--in-place"))).text).toMatch(/adopted\/in-place: is there already/);
    await writeFile(file, text);
  });

  test("the first preview imports all of it, and changes nothing", async () => {
    const plan = await planned();
    const { [`karmada-${stack}`]: itself, "host-cluster": provider, ...objects } = plan;
    expect([itself, provider]).toEqual(["create", "create"]);
    expect(new Set(Object.values(objects))).toEqual(new Set(["import"]));
    expect(Object.keys(objects).sort()).toEqual((await readdir(manifests())).map((name) => name.slice(0, -5)).sort());
  });

  test("the first up touches no object of the host cluster, and the next finds nothing to do", async () => {
    const before = await versions();
    await up();
    expect(await versions()).toEqual(before);
    await up("--expect-no-changes");
    await up("--refresh", "--expect-no-changes");
    expect(await versions()).toEqual(before);
    const outputs = JSON.parse(await output()) as object;
    expect(outputs).toMatchObject({
      namespace: "karmada-system",
      members: [
        { name: "one", syncMode: "Push" },
        { name: "two", syncMode: "Pull" },
      ],
    });
  });

  test("no key of it stands in clear in any file", async () => {
    const { data = {} } = await world().host.get(`${core}/secrets/karmada-cert`);
    const keys = Object.entries(data as Record<string, string>).filter(([name]) => name.endsWith(".key"));
    expect(keys.length).toBeGreaterThan(5);
    const places = [manifests(), join(world().directory, "state"), join(world().checkout, ".pulumi")];
    const files = [
      join(world().checkout, `Pulumi.${stack}.yaml`),
      ...(await Promise.all(places.map(filesBelow))).flat(),
    ];
    expect(files.some((file) => file.includes("/stacks/") && file.includes(stack))).toBe(true);
    for (const file of files) {
      const text = await readFile(file, "utf8");
      for (const [name, key] of keys)
        expect([file, name, text.includes(key) || text.includes(Buffer.from(key, "base64").toString())]).toEqual([
          file,
          name,
          false,
        ]);
    }
  });

  test("what is changed by hand is seen by name, and put back", async () => {
    await world().host.merge(scheduler, { spec: { replicas: 2 } });
    expect(await planned()).toEqual({});
    expect(await planned("--refresh")).toEqual({ "deployment-karmada-scheduler": "update" });
    await up("--refresh");
    expect((await world().host.get(scheduler))["spec"]?.replicas).toBe(1);
  });

  test("a flag, a limit and a budget are an edit, rolled out and waited for; everything else stays", async () => {
    const before = await versions();
    await edit("deployment-karmada-scheduler.yaml", ({ spec }) => {
      const [container] = spec.template.spec.containers;
      container.command = [...container.command, "--kube-api-qps=50"];
      container.resources = { requests: { cpu: "10m" }, limits: { memory: "512Mi" } };
      // Its replicas may not share a node, and there is one.
      spec.strategy.rollingUpdate = { maxSurge: 0, maxUnavailable: 1 };
    });
    await writeFile(
      join(manifests(), "budget.yaml"),
      stringify({
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: "karmada-webhook", namespace: "karmada-system" },
        spec: { maxUnavailable: 1, selector: { matchLabels: { app: "karmada-webhook" } } },
      }),
    );
    const changes = {
      "deployment-karmada-scheduler": "update",
      "poddisruptionbudget-karmada-webhook": "create",
    };
    expect(await planned()).toEqual(changes);
    await up();
    const { metadata, spec, status } = await world().host.get(scheduler);
    expect(spec?.template.spec.containers[0]).toMatchObject({
      command: expect.arrayContaining(["--kube-api-qps=50"]),
      resources: { limits: { memory: "512Mi" } },
    });
    expect(status).toMatchObject({ observedGeneration: metadata?.generation, updatedReplicas: 1, readyReplicas: 1 });
    expect(await world().host.find(`${budgets}/karmada-webhook`)).toBeDefined();
    await edit("deployment-karmada-scheduler.yaml", ({ spec: its }) => {
      delete its.template.spec.containers[0].resources.limits;
    });
    await up();
    const { resources } = (await world().host.get(scheduler))["spec"]?.template.spec.containers[0];
    expect(resources).not.toHaveProperty("limits");
    const after = await versions();
    const touched = Object.keys(before).filter((path) => before[path] !== after[path]);
    expect(touched.filter((path) => !/karmada-scheduler|karmada-webhook/.test(path))).toEqual([]);
    await up("--expect-no-changes");
  });

  test("an object that has vanished is named, with what to do, and let go of without its manifest", async () => {
    await world().host.delete(`${core}/configmaps/site-notes`);
    const { exitCode, text } = await world().npm(...pulumi("preview"));
    expect(exitCode).not.toBe(0);
    expect(text).toContain(
      "adopted/in-place/configmap-site-notes.yaml, document 1: ConfigMap site-notes is not in namespace karmada-system any more",
    );
    expect(text).toContain("to let go of one, delete its manifest");
    await rm(join(manifests(), "configmap-site-notes.yaml"));
    await up("--refresh");
    await up("--expect-no-changes");
  });

  test("a snapshot of its etcd is taken", async () => {
    const file = join(world().directory, "in-place.db");
    expect(await world().succeed(...adopt("--snapshot", file))).toMatch(/snapshot: \d+ keys at revision \d+/);
    expect((await stat(file)).size).toBeGreaterThan(2 ** 20);
  });

  test("destroy lets go of the plane and touches nothing; the stack takes it over again", async () => {
    const before = await versions();
    const said = await world().succeed("run", "destroy", "--", "--stack", stack);
    expect(said).toContain("lets go");
    expect(await versions()).toEqual(before);
    await world().succeed("run", "pulumi", "--", "stack", "init", stack, "--no-select");
    const plan = await planned();
    expect(plan).toMatchObject({ "deployment-karmada-scheduler": "import", "statefulset-etcd": "import" });
    expect(Object.values(plan)).not.toContain("update");
    await world().host.delete(`${budgets}/karmada-webhook`);
    await world().succeed("run", "pulumi", "--", "stack", "rm", stack, "--yes");
  });
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
}
