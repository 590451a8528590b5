import { createRequire } from "node:module";
import type pulumi from "@pulumi/pulumi";
import { AgentHome } from "../../providers/agent-home.ts";
import { ApiReady } from "../../providers/api-ready.ts";
import { ClusterRegistration } from "../../providers/cluster-registration.ts";
import { HostProcess } from "../../providers/host-process.ts";
import { LocalPreparedProcess } from "../../providers/local-prepared-process.ts";
import { LocalProcess } from "../../providers/local-process.ts";
import { MemberAccess } from "../../providers/member-access.ts";
import { PodProgram } from "../../providers/pod-program.ts";
import { PulledMember } from "../../providers/pulled-member.ts";
import { Rebalancing } from "../../providers/rebalancing.ts";
import { SimulatedNodes } from "../../providers/simulated-nodes.ts";

const require = createRequire(import.meta.url);
const { MockMonitor } = require("@pulumi/pulumi/runtime/mocks.js");
const { setMockOptions } = require("@pulumi/pulumi/runtime/settings.js");

/** What the engine is asked to delete first, by name: the mocks of the SDK do not tell. */
const deletedFirst = new Map<string, boolean>();
const monitor = new MockMonitor({
  newResource: ({ name, inputs }: pulumi.runtime.MockResourceArgs) => ({ id: name, state: inputs }),
  call: ({ inputs }: pulumi.runtime.MockCallArgs) => inputs,
});
const register = monitor.registerResource.bind(monitor);
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the messages of the engine are not typed
monitor.registerResource = (request: any, callback: unknown) => {
  deletedFirst.set(request.getName(), request.getDeletebeforereplacedefined() && request.getDeletebeforereplace());
  return register(request, callback);
};
setMockOptions(monitor);

type AnyResource = new (name: string, args: object) => pulumi.CustomResource;

/** Of a replacement that is demanded (`up --replace`) no provider is asked: the new one would be made where the old one is, and be deleted with it. */
test.each(
  named([
    AgentHome,
    ClusterRegistration,
    LocalPreparedProcess,
    LocalProcess,
    MemberAccess,
    PodProgram,
    PulledMember,
    Rebalancing,
    SimulatedNodes,
  ]),
)("%s is deleted before it is made again", async (_, kind) => {
  expect(await isDeletedFirst(kind)).toBe(true);
});

test.each(named([ApiReady, HostProcess]))(
  "%s, of which nothing goes or which decides by its host, is not",
  async (_, kind) => {
    expect(await isDeletedFirst(kind)).toBe(false);
  },
);

function named(kinds: readonly (abstract new (...args: never[]) => pulumi.CustomResource)[]): [string, AnyResource][] {
  return kinds.map((kind) => [kind.name, kind as unknown as AnyResource]);
}

async function isDeletedFirst(kind: AnyResource): Promise<boolean | undefined> {
  const resource = new kind(kind.name, {});
  await new Promise((resolve) => void resource.urn.apply(resolve));
  return deletedFirst.get(kind.name);
}
