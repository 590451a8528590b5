import type * as pulumi from "@pulumi/pulumi";
import { withGivenPaths } from "./given-paths.ts";
import type { Pki } from "./pki.ts";
import type { FileContents, PlacedProcess, Placement, PreparedProcess } from "./placement.ts";
import { file, filled, type Process, type Text, text } from "./process.ts";
import { givenFile } from "./processes/settings.ts";

/** Where processes run and what their files hold. */
export interface Ground {
  readonly placement: Placement;
  readonly pki: Pki;
  /** Changes with each restore of etcd, which stops whatever remembers what it held. @default there was none */
  readonly restored?: pulumi.Output<string>;
}

/**
 * Runs one process once what it depends on is ready.
 *
 * @param given contents of the files that come from outside @default there are none
 */
export function place(
  { placement, pki, restored }: Ground,
  process: Process,
  parent: pulumi.Resource,
  dependsOn: readonly pulumi.Input<pulumi.Resource>[],
  given: FileContents = {},
): PlacedProcess {
  const pathOf = (name: string) => {
    const key = givenFile(name);
    return key in given ? placement.text(process, text`${file(key)}`) : undefined;
  };
  const contents = { ...pki.fileContents(process), ...withGivenPaths(given, pathOf) };
  return placement.place(process, contents, { parent, dependsOn: [...dependsOn] }, restored);
}

/** Prepares one process for a reconciler to start. */
export function prepare(
  { placement, pki }: Ground,
  process: Process,
  parent: pulumi.Resource,
): PreparedProcess & { readonly process: Process } {
  return { process, ...placement.prepare(process, pki.fileContents(process), { parent }) };
}

/** How the replicas of a component run. */
export interface ReplicasArgs {
  readonly dependsOn: readonly pulumi.Input<pulumi.Resource>[];
  /** The API servers that they use, one each, in turn. @default none */
  readonly servers?: readonly pulumi.Resource[];
  /** Contents of the files that come from outside. @default there are none */
  readonly given?: FileContents | undefined;
}

/** Runs the replicas of a component, which change one after another: each once the previous one is ready. */
export function placeReplicas(
  ground: Ground,
  replicas: readonly Process[],
  parent: pulumi.Resource,
  { dependsOn, servers = [], given }: ReplicasArgs,
): readonly PlacedProcess[] {
  const placed: PlacedProcess[] = [];
  for (const [i, process] of replicas.entries()) {
    const before = placed.slice(-1).map(({ resource }) => inTurn(ground.placement, resource));
    const server = servers[i % servers.length];
    placed.push(place(ground, process, parent, [...dependsOn, ...(server ? [server] : []), ...before], given));
  }
  return placed;
}

/** What to depend on to change after another replica. */
export const inTurn = (placement: Placement, before: pulumi.Resource): pulumi.Input<pulumi.Resource> =>
  placement.inTurn?.(before) ?? before;

/** The resources to depend on. */
export const resources = (placed: readonly PlacedProcess[]): readonly pulumi.Resource[] =>
  placed.map(({ resource }) => resource);

/**
 * Resolves a text with references to processes as this program and people see them, for addresses that no process of
 * its own uses.
 */
export const address = (placement: Placement, text: Text): string => seenFrom(placement.outside ?? placement, text);

/** Resolves a text with references to processes as other processes see them. */
export const innerAddress = (placement: Placement, text: Text): string => seenFrom(placement, text);

type View = Pick<Placement, "host" | "port">;

function seenFrom(view: View, text: Text): string {
  return filled(text, (ref) => addressPart(view, ref));
}

function addressPart(view: View, ref: Exclude<Text[number], string>): string {
  if (ref.ref === "host" && ref.process !== undefined) return view.host(ref.process);
  if (ref.ref === "port" && ref.process !== undefined) return String(view.port(ref.process, ref.port));
  throw new Error(`an address outside a process can only name hosts and ports of processes, got "${ref.ref}"`);
}
