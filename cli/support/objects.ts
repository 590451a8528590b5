import type { KubeClient, KubeObject } from "../../lib/kube/client.ts";
import { pagesOf } from "../../lib/kube/listed.ts";

/** All objects of a kind. @param keep what is kept of each: there may be many, and large ones @default all of it */
export async function listOf<T = KubeObject>(
  client: KubeClient,
  path: string,
  keep: (object: KubeObject) => T = (object) => object as T,
): Promise<T[]> {
  const kept: T[] = [];
  for await (const page of pagesOf(client, path, { moving: true })) kept.push(...page.map(keep));
  return kept;
}

/** An object without who wrote which field, without copies of it in notes, and without values of variables. */
export function shown({ metadata = {}, ...object }: KubeObject): object {
  const { managedFields: _, annotations = {}, ...others } = metadata;
  const notes = Object.entries(annotations).filter(([name]) => !name.endsWith("/last-applied-configuration"));
  return withoutValues({ metadata: { ...others, annotations: Object.fromEntries(notes) }, ...object }) as object;
}

function withoutValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutValues);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      name === "env" && Array.isArray(field)
        ? (field as KubeObject[]).map(({ value: _, ...variable }) => variable)
        : withoutValues(field),
    ]),
  );
}

/** The latest events there, the last one last. */
export async function eventsIn(client: KubeClient, path: string): Promise<object[]> {
  const events = await listOf(client, path, event);
  return events.sort((a, b) => a.last.localeCompare(b.last)).slice(-mostEvents);
}

/** An API server keeps them for an hour; what is wrong may make many. */
const mostEvents = 5000;

function event({ metadata, involvedObject: about = {}, ...rest }: KubeObject) {
  const { type, reason, message, count, source, reportingComponent } = rest;
  const { kind, namespace, name, fieldPath } = about as Record<string, string>;
  return {
    last: String(rest["lastTimestamp"] ?? rest["eventTime"] ?? metadata?.["creationTimestamp" as never] ?? ""),
    first: rest["firstTimestamp"] as unknown,
    type,
    reason,
    message,
    count,
    from: (source?.component || reportingComponent) as unknown,
    about: { kind, namespace, name, fieldPath },
  };
}
