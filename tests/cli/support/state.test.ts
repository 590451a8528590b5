import { placesOf } from "../../../cli/support/places.ts";
import { type ExportedStack, inClear, outputsOf, withSecrets } from "../../../cli/support/state.ts";

const secret = (value: unknown) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  plaintext: JSON.stringify(value),
});
const dynamic = (type: string, inputs: Record<string, unknown>) => ({
  urn: `urn:pulumi:a::karmada::pulumi-nodejs:dynamic/${type}::x`,
  type: `pulumi-nodejs:dynamic/${type}`,
  inputs,
});
const stateOf = (...resources: NonNullable<ExportedStack["deployment"]>["resources"] & object): ExportedStack => ({
  deployment: { resources },
});

test("secrets of a state are hidden at any depth, or read with those within them", () => {
  const value = { a: [secret({ b: secret("hunter2") })], c: 1 };
  expect(withSecrets(value, () => "hidden")).toEqual({ a: ["hidden"], c: 1 });
  expect(inClear(value)).toEqual({ a: [{ b: "hunter2" }], c: 1 });
});

test("outputs are those of the stack, and none before its first up", () => {
  expect(outputsOf({})).toEqual({});
  const stack = { urn: "urn", type: "pulumi:pulumi:Stack", outputs: { endpoint: "https://a" } };
  expect(outputsOf(stateOf(dynamic("local:LocalProcess", {}), stack))).toEqual({ endpoint: "https://a" });
});

test("each place is found once, with the credentials of the resource that an up comes to first", () => {
  const host = (name: string, key: string) => ({
    kind: "ssh",
    name,
    address: `10.0.0.${name.at(-1)}`,
    privateKey: key,
  });
  const state = stateOf(
    dynamic("local:LocalDirectory", { directory: "/a" }),
    dynamic("local:LocalProcess", { directory: "/a" }),
    dynamic("hosts:HostPreflight", { hosts: { host1: { address: secret(host("host1", "new")) } } }),
    dynamic("hosts:HostProcess", { host: secret(host("host1", "old")) }),
    dynamic("hosts:HostProcess", { host: secret(host("host2", "old")) }),
    { ...dynamic("hosts:HostProcess", { host: secret(host("host3", "old")) }), delete: true },
    dynamic("kubernetes:OwnedNamespace", { kubeconfig: secret("text"), namespace: "karmada-system" }),
    dynamic("members:MemberAccess", { kubeconfig: secret("member"), namespace: "default" }),
  );
  expect(placesOf(state)).toEqual({
    directories: ["/a"],
    hosts: [host("host1", "new"), host("host2", "old")],
    hostClusters: [{ kubeconfig: "text", namespace: "karmada-system" }],
  });
  expect(placesOf({})).toEqual({ directories: [], hosts: [], hostClusters: [] });
});
