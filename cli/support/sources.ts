import type { Outputs } from "../stack/members-now.ts";
import { hasPlane, isEtcdAlone, openPlane } from "../stack/members-now.ts";
import { noPlane } from "../stack/no-plane.ts";
import { exportedStack } from "../stack/pulumi.ts";
import { programOf } from "../stack/stack-file.ts";
import { statusNow } from "../stack/status-now.ts";
import { collect, type Source } from "./collect.ts";
import { hostParts } from "./host-logs.ts";
import { localParts } from "./local-logs.ts";
import type { Parts } from "./parts.ts";
import { placesOf } from "./places.ts";
import { planeParts } from "./plane.ts";
import { podParts } from "./pods.ts";
import { pulumiParts } from "./pulumi-parts.ts";
import { stackFileSource } from "./stack-file.ts";
import { type ExportedStack, inClear, outputsOf } from "./state.ts";
import { versions } from "./versions.ts";

/** What a bundle is made for. */
export interface Wanted {
  readonly root: string;
  readonly stack: string;
  /** Of how many seconds logs are wanted. */
  readonly since: number;
  readonly parts: Parts;
  readonly signal: AbortSignal;
}

/**
 * All that can be asked about a stack. The state tells where; without it there is only what this machine knows, and without
 * the secrets in it nothing that wants a login.
 */
export async function sourcesOf(wanted: Wanted): Promise<readonly Source[]> {
  const { root, stack, since } = wanted;
  const here = [versions(root), stackFileSource(root, stack)];
  const clear = await stateOf(wanted, "the state with its secrets, for whatever wants a login", "--show-secrets");
  const state = clear ?? (await stateOf(wanted, "the state, which tells where everything is"));
  if (state === undefined) return here;
  const { directories, hosts, hostClusters } = placesOf(state);
  return [
    ...here,
    ...pulumiParts(root, stack, state),
    ...(clear === undefined ? [] : asked(root, stack, inClear(outputsOf(clear)) as Partial<Outputs>)),
    ...directories.map((directory) => localParts(directory, since)),
    ...hosts.map((host) => hostParts(host, since)),
    ...hostClusters.flatMap((place) => podParts(place, since)),
  ];
}

/** Undefined, and noted as lacking, if it cannot be had. */
async function stateOf(
  { root, stack, parts, signal }: Wanted,
  path: string,
  ...flags: readonly string[]
): Promise<ExportedStack | undefined> {
  let state: ExportedStack | undefined;
  const read = async () => void (state = await exportedStack<ExportedStack>(root, stack, ...flags));
  await collect([{ path, read }], parts, signal);
  return state;
}

/** What etcd and the control plane are asked for. */
const asked = (root: string, stack: string, outputs: Partial<Outputs>): readonly Source[] => [
  { path: "status.json", read: async (into) => into.put("status.json", await statusOf(root, stack, outputs)) },
  ...(hasPlane(outputs) ? planeParts(outputs.kubeconfig) : []),
];

/** As `npm run status` has it. */
async function statusOf(root: string, stack: string, outputs: Partial<Outputs>): Promise<object> {
  const plane = hasPlane(outputs) ? await openPlane(outputs) : undefined;
  if (plane === undefined && !isEtcdAlone(outputs)) {
    // What is said of a file that is wrong shows a piece of it.
    const program = await programOf(root, stack).catch(() => "karmada");
    throw new Error(noPlane(stack, program));
  }
  return statusNow(outputs, plane);
}
