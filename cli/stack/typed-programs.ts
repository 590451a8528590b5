import { type Typed, typedMembers } from "./typed-members.ts";

/** What manages a control plane whose servers another stack, or somebody else, runs. */
const clients = ["kubectl", "karmadactl"];

/** Programs of stacks that are no whole deployment, by the program that such a stack is. */
const withoutServers: ReadonlyMap<unknown, (config: Typed) => readonly string[]> = new Map([
  ["members", () => clients],
  ["adopted", () => clients],
  ["snapshots", (config: Typed) => (verifyOf(config) === "sha" ? [] : ["etcd", "etcdutl"])],
  // etcdutl makes the data; the etcd that serves them is there already.
  ["restore", () => ["etcdutl"]],
  // Members in pods have theirs from images.
  ["etcd", (config: Typed) => (isInPods(config) && !takesData(config) ? [] : ["etcd", "etcdutl"])],
]);

const withoutServersOf = (config: Typed) => withoutServers.get(config["karmada:program"]);

/** Whether a stack runs the servers of a control plane; one that is mistyped does. */
export const hasServers = (config: Typed): boolean => withoutServersOf(config) === undefined;

/** Programs that only some stacks need, and this one does; relative paths in it start at the directory. */
export function programsOf(config: Typed, directory: string): readonly string[] {
  return withoutServersOf(config)?.(config) ?? ofDeployment(config, directory);
}

/** How far snapshots are proved, as far as it was typed. */
const verifyOf = (config: Typed) =>
  (config["karmada:snapshots"] as { readonly verify?: unknown } | null | undefined)?.verify;

/** Whether snapshots are taken or restored from here. */
const takesData = (config: Typed): boolean =>
  Boolean(config["karmada:snapshots"] || (config["karmada:etcd"] as { restore?: unknown } | null | undefined)?.restore);

const isInPods = (config: Typed): boolean =>
  (config["karmada:placement"] as { kind?: unknown } | null | undefined)?.kind === "kubernetes";

/** Programs that only some deployments need, and this one does. */
function ofDeployment(config: Typed, directory: string): readonly string[] {
  const [controlPlane, addons] = ["controlPlane", "addons"].map((key) => config[`karmada:${key}`]);
  const beside = typedMembers(config, directory).filter((member) => member?.agent?.kind !== "inMember");
  const pulls = beside.some((member) => member?.syncMode === "Pull" || member?.syncMode === "auto");
  const estimator = "karmada-scheduler-estimator";
  const switches = controlPlane as Record<string, { enabled?: unknown } | null> | null | undefined;
  const sources = Array.isArray(addons) ? (addons as ({ source?: { kind?: unknown } | null } | null)[]) : [];
  const charts = sources.some((addon) => addon?.source?.kind === "chart");
  return [
    ...(pulls ? ["karmada-agent"] : []),
    ...(switches?.[estimator]?.enabled === true ? [estimator] : []),
    ...(charts ? ["helm"] : []),
    ...(takesData(config) ? ["etcd", "etcdutl"] : []),
  ];
}
