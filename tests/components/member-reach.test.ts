/** From where it is tried whether members answer, as a preview has it. */
import { jest } from "@jest/globals";
import { createAuthority } from "../support/certificates.ts";
import { kubeconfigOf } from "../support/cluster.ts";
import { deploymentOf } from "./support/deployment.ts";
import { settled, withMocks } from "./support/mocks.ts";
import type { OnHosts } from "../../components/placement/hosts.ts";

jest.setTimeout(30_000);

const registered = await withMocks({
  "pulumi-nodejs:dynamic/hosts:HostPreflight": () => ({ interfaces: {} }),
});
const pulumi = await import("@pulumi/pulumi");
const { planAll } = await import("../../components/karmada-plan.ts");
const { tryMembers } = await import("../../components/member-reach.ts");
const { hostsPlacement } = await import("../../components/placement/hosts.ts");

const authority = await createAuthority("m1");
const leaf = await authority.issue({ commonName: "admin" });
const kubeconfig = (host: string) => kubeconfigOf(`https://${host}:6443`, authority.certificate, leaf);
const auto = (name: string, networks: string[], more: object = {}, text = kubeconfig(name)) => ({
  name,
  syncMode: "auto",
  networks,
  credentials: { kind: "kubeconfig", kubeconfig: text },
  ...more,
});

/** What is declared to be tried, if anything. */
async function tried(config: Record<string, unknown>): Promise<Record<string, unknown> | undefined> {
  const from = registered.length;
  const deployment = deploymentOf(config);
  const settings = deployment as never;
  const parent = new pulumi.ComponentResource("test:Parent", `parent-${from}`);
  const placement =
    deployment.placement.kind === "hosts" ? hostsPlacement(deployment as unknown as OnHosts) : ({} as never);
  tryMembers("reach", { deployment: settings, plan: planAll(settings, {}), placement }, parent);
  await settled();
  return registered.slice(from).find(({ type }) => type.endsWith(":MemberReach"))?.inputs;
}

const members = [
  auto("paris", ["corp"]),
  auto("oslo", ["far"]),
  auto("rome", ["corp"], { proxy: "http://10.0.0.1:3128" }),
  auto("bonn", ["corp"], {}, kubeconfig("bonn").replace('"server"', '"proxy-url":"http://10.0.0.1:3128","server"')),
  { ...auto("lyon", ["corp"]), syncMode: "Push" },
  { name: "sim", syncMode: "auto", credentials: { kind: "simulated" } },
];

test("members whose mode follows from networks are tried, from this machine", async () => {
  const found = await tried({ controlPlane: { networks: ["corp"] }, members });
  expect(found?.["members"]).toEqual({
    paris: { server: "https://paris:6443", syncMode: "Push", modeReason: "both are in the network corp" },
    oslo: {
      server: "https://oslo:6443",
      syncMode: "Pull",
      modeReason: "it is in far, the control plane in corp: no network in common",
    },
    bonn: { syncMode: "Push", modeReason: "both are in the network corp" },
  });
});

test("of a kubeconfig the context that is named counts, whether it has a current one or not", async () => {
  const named = (name: string, current: string, proxy = "") => {
    const text = kubeconfig(name).replace('"current-context":"test"', current);
    const credentials = {
      kind: "kubeconfig",
      kubeconfig: text.replace('"server"', `${proxy}"server"`),
      context: "test",
    };
    return auto(name, ["corp"], { credentials });
  };
  const found = await tried({
    controlPlane: { networks: ["corp"] },
    members: [
      named("paris", '"preferences":{}'),
      named("oslo", '"current-context":"deleted"'),
      named("bonn", '"current-context":"deleted"', '"proxy-url":"http://10.0.0.1:3128",'),
    ],
  });
  expect(found?.["members"]).toMatchObject({
    paris: { server: "https://paris:6443" },
    oslo: { server: "https://oslo:6443" },
  });
  expect((found?.["members"] as Record<string, object>)["bonn"]).not.toHaveProperty("server");
});

test("members are tried from the hosts of karmada-controller-manager where it runs on hosts", async () => {
  const hostKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"x".repeat(43)}`;
  const found = await tried({
    placement: {
      kind: "hosts",
      ssh: { privateKey: "k3y" },
      hosts: [1, 2, 3].map((n) => ({ name: `host${n}`, address: `10.0.0.1${n}`, ssh: { hostKey } })),
    },
    controlPlane: { networks: ["corp"] },
    members: [auto("paris", ["corp"])],
  });
  expect(found?.["members"]).toMatchObject({ paris: { from: ["host1", "host2", "host3"] } });
});

test("where that is switched off, or no mode follows from networks, nothing is declared", async () => {
  expect(await tried({ controlPlane: { networks: ["corp"], probeMembers: false }, members })).toBeUndefined();
  expect(await tried({ members: [{ ...members[0], syncMode: "Push" }] })).toBeUndefined();
});
