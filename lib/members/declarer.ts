import type { KubeObject } from "../kube/client.ts";

/** Who declares members: a deployment or a stack of members, by its name. */
export type Declarer = `${"karmada" | "members"}/${string}`;

/** On a Cluster: who declares it. One joined by `karmadactl`, or handed over, has none, and anybody may declare it. */
const note = "karmada-pulumi/declared-by";

/** Whether a Cluster is declared by somebody else. @param ours undefined in the state of older releases */
export function isOthers(object: KubeObject, ours: Declarer | undefined): boolean {
  const noted = declarerOf(object);
  return noted !== undefined && ours !== undefined && !isSame(noted, ours);
}

/** Why a Cluster cannot be declared by `ours` too, and what to do; undefined when it can. */
export function refusalOf(object: KubeObject, ours: Declarer): string | undefined {
  const noted = declarerOf(object);
  if (noted === undefined || isSame(noted, ours) || object.metadata?.deletionTimestamp !== undefined) return undefined;
  const [program, name = ""] = noted.split("/");
  const renamed = ours.startsWith(`${program}/`) ? `; if this stack was called so, set karmada:name: ${name}` : "";
  return (
    `${titleOf(noted)} declares it\n` +
    "let go of it there (handOver: true, then out of its list), or choose another name; " +
    `if that stack is no more, run: kubectl annotate cluster ${object.metadata?.name} ${note}-${renamed}`
  );
}

/** How the note differs from what was written, in sentences. */
export function declarerDrift(object: KubeObject, ours: Declarer | undefined): string[] {
  const noted = declarerOf(object);
  if (ours === undefined || (noted !== undefined && isSame(noted, ours))) return [];
  return [noted === undefined ? `${note}: is gone from the Cluster` : `${titleOf(noted)} declares it now`];
}

/** Annotations of a Cluster that `declarer` declares; without it, of one that nobody declares. */
export function annotated(
  annotations: Readonly<Record<string, string>>,
  declarer: Declarer | undefined,
): Record<string, string> {
  const { [note]: _, ...others } = annotations;
  return { ...others, ...(declarer !== undefined && { [note]: declarer }) };
}

/** The name of a declarer in messages. */
export function titleOf(declarer: Declarer): string {
  const [program, name] = declarer.split("/");
  return `the ${program === "members" ? "stack of members" : "deployment"} "${name}"`;
}

export const declarerOf = ({ metadata }: KubeObject): Declarer | undefined =>
  metadata?.annotations?.[note] as Declarer | undefined;

/** A control plane has one deployment: another name in the note dates from before it moved or was restored. */
const isSame = (a: Declarer, b: Declarer): boolean => a === b || [a, b].every((each) => each.startsWith("karmada/"));
