/** When an object of a kind is ready, as a pure judgement on what is seen of it. */
import type { Severity } from "../../server/index.ts";
import type { GroupVersionKind } from "../gvk.ts";
import { at, textAt } from "../object.ts";
import type { KubeObject } from "../object.ts";

export interface View {
  /** As last seen. */
  readonly object: KubeObject;
  /** As the server answered the write. */
  readonly written: KubeObject;
  /** Before an update. */
  readonly previous: KubeObject | undefined;
  /** The objects of a kind of `related` in the same namespace, as far as known. */
  related(kind: string): readonly KubeObject[];
  /** Whether the objects of that kind have been listed: before that, none of them is known. */
  isListed(kind: string): boolean;
  /** How long this has been waited for, in milliseconds. */
  readonly waitedMs: number;
  /** How long there was no change among the Endpoints that matter, in milliseconds; `undefined` before the first. */
  readonly quietMs: number | undefined;
  /** Whether this is a single look, as for a refresh. */
  readonly once: boolean;
  /** Whether someone deleted the object meanwhile. */
  readonly gone: boolean;
}

export interface Verdict {
  readonly ready: boolean;
  /** It will not become ready. @default false */
  readonly failed?: boolean;
  /** What to show while waiting. */
  readonly status?: readonly Status[];
  /** What is missing, for the error. */
  readonly problems?: readonly string[];
  /** When it does not become ready in time or the wait is cancelled, that is good enough. @default false */
  readonly passable?: boolean;
  /** Look again after this time even if nothing changes, in milliseconds. @default never */
  readonly againMs?: number;
}
export type Status = readonly [severity: Severity, message: string];

export interface Rule {
  /** Kinds whose objects in the namespace matter. @default none */
  readonly related?: readonly GroupVersionKind[];
  judge(view: View): Verdict;
  /** Whether a refresh judges as well. @default false */
  readonly onRead?: boolean;
  /** Whether there is no point in waiting once the object is deleted. @default false */
  readonly endsWhenGone?: boolean;
  /** In milliseconds, whatever the user asks. @default the user's timeout, or 10 minutes */
  readonly fixedTimeoutMs?: number;
  /** Said when time is up. @default the usual words for a condition */
  timeoutMessage?(name: string): string;
  /** Said when the deployment is cancelled. @default the same words */
  cancelMessage?(name: string): string;
}

/** A message of success; macOS terminals get the official plugin's check mark. */
export function done(message: string): string {
  return process.platform === "darwin" ? `✅ ${message}` : message;
}

/** The words of the rules that know what they wait for. */
export const spoken = {
  timeoutMessage: (name: string) => `'${name}' timed out waiting to be Ready`,
  cancelMessage: (name: string) => `Resource operation was cancelled for "${name}"`,
};
/** The words of the rules that only look at a field. */
export const polled = {
  endsWhenGone: true,
  timeoutMessage: (name: string) => `Timeout occurred polling for '${name}'`,
  cancelMessage: (name: string) => `Resource operation was cancelled for '${name}'`,
};

/** A whole number at a path, 0 when there is none. */
export function numberAt(object: KubeObject, ...path: string[]): number {
  const field = at(object, ...path);
  return typeof field === "number" ? field : 0;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}
export function conditionsOf(object: KubeObject): readonly Condition[] {
  const conditions = at(object, "status", "conditions");
  return Array.isArray(conditions) ? (conditions as unknown as Condition[]) : [];
}

export function isOwnedBy(object: KubeObject, owner: KubeObject | undefined): boolean {
  const owners = at(object, "metadata", "ownerReferences");
  const uid = owner && textAt(owner, "metadata", "uid");
  return Array.isArray(owners) && !!uid && owners.some((each) => textAt(each as KubeObject, "uid") === uid);
}

/** `namespace/name`, without the namespace `default`. */
export function qualifiedName(object: KubeObject): string {
  const namespace = textAt(object, "metadata", "namespace");
  const name = textAt(object, "metadata", "name");
  return namespace && namespace !== "default" ? `${namespace}/${name}` : name;
}

export const core = (kind: string): GroupVersionKind => ({ group: "", version: "v1", kind });
