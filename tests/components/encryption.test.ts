/** In what order it is noted how the data of a control plane are written. */
import { jest } from "@jest/globals";
import * as pulumi from "@pulumi/pulumi";
import { deploymentOf } from "./support/deployment.ts";
import { fakePlacement } from "./support/fake-placement.ts";
import { ofPki, settled, withMocks } from "./support/mocks.ts";
import type { Placement } from "../../components/placement.ts";
import type { Process } from "../../components/process.ts";

const dynamic = "pulumi-nodejs:dynamic";
const all = (resources: unknown, by: string) =>
  Object.fromEntries((resources as string[]).map((resource) => [resource, by]));
const registered = await withMocks({
  ...ofPki,
  [`${dynamic}/kube:EncryptionKeys`]: ({ resources, provider, kms }) => ({
    keys: [{ name: "key-1", secret: "SECRET" }],
    encrypted: provider === "identity" ? [] : resources,
    ...(provider === "kms" && { encrypters: all(resources, `kms:${(kms as { name: string }).name}`) }),
    ...((kms as { name?: string })?.name === "cloud" && { plugins: [{ name: "cloud" }, { name: "vault" }] }),
    ...((kms as { name?: string })?.name === "vault" && {
      encrypters: { secrets: "kms:former", "works.work.karmada.io": "kms:vault" },
      plugins: [{ name: "vault" }, { name: "former" }],
    }),
    readable: resources,
    told: "t1",
    configuration: "KEYS",
    revision: "r1",
  }),
  [`${dynamic}/etcd:EtcdHealth`]: () => ({ clusterId: "c1", members: [] }),
  [`${dynamic}/etcd:EtcdMembership`]: () => ({ memberStates: [] }),
});
const { Karmada } = await import("../../components/karmada.ts");

class Placed extends pulumi.CustomResource {
  constructor(deployment: string, { name }: Process, opts: pulumi.CustomResourceOptions) {
    super("test:index:Placed", `${deployment}-${name}`, {}, opts);
  }
}

const version = pulumi.output("1");
/** Brings one up whose name says how. */
async function bringUp(
  name: string,
  provider = name,
  more: Partial<Placement> = {},
  plugin: object = {},
): Promise<void> {
  const deployment = deploymentOf({ controlPlane: { encryption: { provider, ...plugin } } }) as never;
  const place = (process: Process, _: unknown, opts: pulumi.CustomResourceOptions) => ({
    resource: new Placed(name, process, opts),
    version,
    revision: version,
  });
  new Karmada(name, { deployment, placement: { ...fakePlacement(place, place), ...more } });
  await settled();
}

const said = jest.spyOn(console, "warn").mockImplementation(() => undefined);

beforeAll(async () => {
  for (const provider of ["none", "secretbox", "identity"]) await bringUp(provider);
  await bringUp("kms", "kms", {}, { name: "vault", endpoint: "unix:///run/kms/vault.sock" });
  await bringUp("moved", "kms", {}, { name: "cloud", endpoint: "unix:///run/kms/cloud.sock" });
  const podOf = ({ name, component }: Process) =>
    pulumi.output({ kubeconfig: "HOST", namespace: "fleet", instance: name, container: component });
  await bringUp("pods", "secretbox", { podOf, copies: true });
  const hostName = () => "host1";
  await bringUp("hosts", "secretbox", { hostName });
  await bringUp("hosts-in-clear", "none", { hostName });
}, 60_000);

const versionsOf = (name: string) => registered.find((each) => each.name === `${name}-control-plane-versions`)!;

/** What the versions of a control plane note of its encryption, and whether they wait for all to be written so. */
function noted(provider: string) {
  const found = versionsOf(provider);
  return [found.inputs["encryption"], found.dependsOn.includes(`${provider}-encryption-data`)];
}

test("which kind of etcd has the data is noted, and in which placement, and whether MultiClusterServices are acted for", () => {
  const { inputs } = versionsOf("none");
  expect(inputs).toMatchObject({ etcd: "managed", placement: "local", multiClusterServices: false });
});

test("that there is something encrypted is noted before anything is, that there is nothing only once all is in clear", () => {
  expect(noted("none")).toEqual([undefined, false]);
  expect(noted("secretbox")).toEqual(["secretbox", false]);
  expect(noted("identity")).toEqual(["identity", true]);
  expect(noted("kms")).toEqual(["kms", false]);
});

test("where API servers are pods, those are waited for that have the settings of before", () => {
  const pods = (name: string) => registered.find((each) => each.name === `${name}-encryption-data`)!.inputs["pods"];
  expect(pods("pods")).toMatchObject({
    value: { kubeconfig: "HOST", namespace: "fleet", instance: "karmada-apiserver" },
  });
  expect(pods("secretbox")).toBeUndefined();
});

test("API servers on hosts are noted beside what they write encrypted: others end as they are replaced", () => {
  const all = ["secrets", "works.work.karmada.io"];
  const servers = { "karmada-apiserver on host1": "https://karmada-apiserver.test:6443" };
  const encrypting = { resources: all, rotate: "" };
  expect(versionsOf("hosts").inputs).toMatchObject({ encrypting, encrypted: all, told: expect.anything(), servers });
  expect(versionsOf("hosts-in-clear").inputs).toMatchObject({ servers });
  expect(versionsOf("hosts-in-clear").inputs).not.toHaveProperty("encrypting");
  for (const name of ["pods", "none"]) expect(versionsOf(name).inputs).toMatchObject({ servers: {} });
});

test("the plugin of a key service is told with its name and socket, and what by now encrypts by it is noted", () => {
  const inputsOf = (name: string) => registered.find((each) => each.name === name)!.inputs;
  expect(inputsOf("kms-encryption-keys")["kms"]).toEqual({
    name: "vault",
    endpoint: "unix:///run/kms/vault.sock",
    timeout: "3s",
  });
  expect(inputsOf("secretbox-encryption-keys")).not.toHaveProperty("kms");
  expect(versionsOf("kms").inputs).toMatchObject({
    encrypting: { resources: ["secrets", "works.work.karmada.io"], rotate: "", kms: "vault" },
    encrypted: ["works.work.karmada.io"],
  });
  expect(inputsOf("kms-encryption-data")).toMatchObject({
    encrypted: ["secrets", "works.work.karmada.io"],
    by: ["kms:former", "kms:vault"],
  });
  expect(inputsOf("secretbox-encryption-data")).not.toHaveProperty("by");
  expect(said.mock.calls.map(([text]) => String(text).replace(/^warning: \[runtime\] /, ""))).toEqual([
    "controlPlane.encryption: once this `up` has ended every API server can read what is encrypted; run up again, which encrypts secrets",
    "controlPlane.encryption: once this `up` has ended nothing is encrypted by plugin vault any more; run up again, after which no API server asks it",
  ]);
});
