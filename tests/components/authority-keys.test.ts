import { parse } from "yaml";
import { fakePlacement } from "./support/fake-placement.ts";
import { ofPki, settled, valueOf, withMocks } from "./support/mocks.ts";
import { controlPlaneProcess, etcdProcess } from "./support/processes.ts";

const registered = await withMocks({
  ...ofPki,
  "tls:index/selfSignedCert:SelfSignedCert": ({ subject }) => ({
    certPem: `CA ${(subject as { commonName: string }).commonName}\n`,
    validityEndTime: "2036-01-01T00:00:00Z",
  }),
});
const pulumi = await import("@pulumi/pulumi");
const { Pki } = await import("../../components/pki.ts");

const [apiserver, manager] = [controlPlaneProcess("karmada-apiserver"), controlPlaneProcess("kube-controller-manager")];
const [scheduler, etcd] = [controlPlaneProcess("karmada-scheduler"), etcdProcess("etcd-0")];

/** A Pki whose authorities have these keys, and what is registered for it. */
async function pkiWith(name: string, keys?: readonly string[]) {
  const pki = new Pki(name, {
    lifetimes: { authorityHours: 87600, leafHours: 8760, renewBeforeHours: 720 },
    processes: [etcd, apiserver, manager, scheduler],
    requests: [],
    placement: fakePlacement(),
    ...(keys && { keys: { karmada: keys, etcd: keys } }),
  });
  await settled();
  const content = (process: typeof etcd, file: string) => valueOf(pulumi.output(pki.fileContents(process)[file]!));
  const { clusters } = parse((await content(scheduler, "karmada.config")) as string);
  return {
    authorities: registered
      .flatMap(({ type, name: each }) =>
        each.startsWith(`${name}-ca-karmada`) ? [`${type.split(":").at(-1)} ${each.slice(name.length + 1)}`] : [],
      )
      .toSorted(),
    trusted: [await content(apiserver, "pki/ca.crt"), await content(etcd, "pki/etcd/ca.crt")],
    kubeconfig: Buffer.from(clusters[0].cluster["certificate-authority-data"], "base64").toString(),
    signedBy: registered.find((each) => each.name === `${name}-apiserver`)?.inputs.caCertPem,
    ends: Object.keys((await valueOf(pki.expiries)) as object).filter((each) => each.startsWith("ca-karmada")),
  };
}

const initial = "CA karmada-ca\n";
const next = "CA karmada-ca-2026-12\n";

test("the first of its keys signs, and all of them are trusted by whoever trusts the authority", async () => {
  const before = await pkiWith("none");
  expect(before.authorities).toEqual(["PrivateKey ca-karmada-key", "SelfSignedCert ca-karmada"]);
  expect(before).toMatchObject({ trusted: [initial, "CA etcd-ca\n"], signedBy: initial, ends: ["ca-karmada"] });

  const trusting = await pkiWith("one", ["initial", "2026-12"]);
  expect(trusting.authorities).toEqual([
    "PrivateKey ca-karmada-key",
    "PrivateKey ca-karmada/2026-12-key",
    "SelfSignedCert ca-karmada",
    "SelfSignedCert ca-karmada/2026-12",
  ]);
  expect(trusting).toMatchObject({
    trusted: [initial + next, "CA etcd-ca\nCA etcd-ca-2026-12\n"],
    kubeconfig: initial + next,
    signedBy: initial,
    ends: ["ca-karmada", "ca-karmada/2026-12"],
  });

  const signing = await pkiWith("two", ["2026-12", "initial"]);
  expect(signing.authorities).toEqual(trusting.authorities);
  expect(signing).toMatchObject({ trusted: [next + initial, expect.any(String)], signedBy: next });

  const alone = await pkiWith("three", ["2026-12"]);
  expect(alone.authorities).toEqual(trusting.authorities.filter((each) => each.includes("2026-12")));
  expect(alone).toMatchObject({ trusted: [next, "CA etcd-ca-2026-12\n"], kubeconfig: next, signedBy: next });
  expect(alone.ends).toEqual(["ca-karmada/2026-12"]);
});
