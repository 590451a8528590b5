import { z } from "zod";
import type { Context } from "../context.ts";
import type { SecretText } from "../field.ts";
import { jsonOf } from "../values/json-of.ts";
import type { Problem } from "../problems.ts";
import { checkAccess } from "./endpoints.ts";
import { takenPort, type TypedEtcd } from "./etcd.ts";

/**
 * The output `etcdClient` of a stack of the program `etcd`, for control planes that keep their data there. `Known` is the
 * type of values known only once the cluster exists.
 */
export interface OfferedEtcd<Known = string> {
  /** Client URLs as programs beside it reach its members: in a host cluster names of Services. */
  readonly endpoints: readonly string[];
  /** Client URLs from outside of its host cluster. @default the same */
  readonly outside?: readonly string[];
  /** PEM; the key is secret. */
  readonly ca: Known;
  readonly certificate: Known;
  readonly key: Known;
  /** ID of the cluster, hexadecimal: another one after each restore. */
  readonly clusterId: Known;
}

const offered = z.object({
  endpoints: z.array(z.string()).min(1),
  outside: z.array(z.string()).min(1).optional(),
  ca: z.string(),
  certificate: z.string(),
  key: z.string(),
  clusterId: z.string().min(1),
});

/** An external etcd with all that it is reached by, typed or given out by its stack. */
export type ReachedEtcd = Omit<External, "stack" | keyof Reach> & Reach;

interface Reach {
  readonly endpoints: readonly string[];
  /** Where this program reaches it. @default as the control plane does */
  readonly outside?: readonly string[];
  readonly ca: string;
  readonly certificate: string;
  readonly key: SecretText;
  /** ID of the cluster, as its stack tells it. @default unknown: it has no stack */
  readonly clusterId?: string;
}

type External = Extract<TypedEtcd, { kind: "external" }>;
type Placement = { readonly kind: "local"; readonly basePort: number } | { readonly kind: "hosts" | "kubernetes" };

/** Finds what keeps a control plane from using the etcd of another stack. */
export function checkEtcdOfStack(etcd: TypedEtcd, placement: Placement | undefined, context: Context): Problem[] {
  if (etcd.kind !== "external" || etcd.stack === undefined) return [];
  const found = offeredBy(etcd.stack, context);
  const problems = "error" in found ? [found.error] : unfitFor(etcd.stack, found, placement, context.now ?? new Date());
  return problems.map((message) => ({ path: ["etcd", "stack"], message }));
}

function unfitFor(stack: string, found: OfferedEtcd, placement: Placement | undefined, now: Date): string[] {
  const { outside = found.endpoints } = found;
  const expired = checkAccess([], found, now).map(
    ({ path: [field], message }) => `whose ${String(field)} does not serve: ${message}; an up of that stack renews it`,
  );
  const unfit = [...expired, ...(placement === undefined ? [] : unreached(outside, placement))];
  return unfit.map((what) => `got "${stack}", ${what}`);
}

function unreached(urls: readonly string[], placement: Placement): string[] {
  if (placement.kind !== "local") {
    const alone = urls.find((url) => new URL(url).hostname.startsWith("127."));
    return alone === undefined
      ? []
      : [
          `whose etcd is reached on its own machine only (${alone}), want it elsewhere with placement.kind "${placement.kind}"`,
        ];
  }
  const port = urls.map((url) => takenPort(url, placement.basePort)).find((taken) => taken !== undefined);
  return port === undefined
    ? []
    : [`whose etcd has port ${port} of this machine, want another placement.basePort here or there: the ports overlap`];
}

/** Fills in what another stack gives out; pods of the same host cluster go to its Services. */
export function reachedEtcd({ stack, ...etcd }: External, placement: Placement, context: Context): ReachedEtcd {
  if (stack === undefined) return etcd as ReachedEtcd;
  const found = offeredBy(stack, context);
  if ("error" in found) throw new Error(found.error);
  const { endpoints, outside = endpoints, key, ...rest } = found;
  const inPods = placement.kind === "kubernetes";
  return {
    ...etcd,
    ...rest,
    key: key as SecretText,
    endpoints: inPods ? endpoints : outside,
    ...(inPods && outside !== endpoints && { outside }),
  };
}

/** What the stack gives out, or why that cannot be used. */
function offeredBy(stack: string, { stacks }: Context): OfferedEtcd | { readonly error: string } {
  const read = stacks?.[stack] ?? { error: `got "${stack}", which was not read` };
  if ("error" in read) return read;
  const { etcdClient: text } = read.outputs;
  if (text === undefined) return { error: `got "${stack}", which has no output etcdClient: ${wanted}` };
  const { data } = offered.safeParse(jsonOf(text));
  return data === undefined
    ? { error: `got "${stack}", whose output etcdClient is not complete: ${wanted}` }
    : (data as OfferedEtcd);
}

const wanted = "want a stack of the program etcd, brought up before this one";
