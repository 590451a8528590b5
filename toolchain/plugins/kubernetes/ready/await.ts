/** Waiting for what was made or changed to become ready. */
import type { ResourceRequest } from "../../server/index.ts";
import { isAnnotationTrue, SKIP_AWAIT, timeoutOf } from "../annotations.ts";
import { referenceOf } from "../cluster.ts";
import { gvkOfObject } from "../gvk.ts";
import { nameOf, namespaceOf } from "../object.ts";
import type { KubeObject } from "../object.ts";
import type { Session } from "../session.ts";
import { Observer } from "./observer.ts";
import { ruleOf, ruleOfKind } from "./rules.ts";
import type { Rule, Verdict } from "./rule.ts";
import { StatusLog } from "./status-log.ts";

/** What was asked for and what the server made of it. */
export interface Awaited extends ResourceRequest {
  readonly inputs: KubeObject;
  /** As the server answered the write. */
  readonly live: KubeObject;
  /** The live object before an update. */
  readonly previous: KubeObject | undefined;
  /** In seconds, from customTimeouts. */
  readonly timeout: number | undefined;
}

/** The object is there, and not ready. */
export class NotReadyError extends Error {
  /** As last seen. */
  readonly object: KubeObject;
  /** What it lacks. */
  readonly problems: readonly string[];
  constructor(message: string, object: KubeObject, problems: readonly string[] = []) {
    super(message);
    this.object = object;
    this.problems = problems;
  }
}

const DEFAULT_TIMEOUT_MS = 10 * 60_000;
const CONDITION_TIMED_OUT = "timed out waiting for the condition";

/** The live object when it is ready. @throws NotReadyError when it does not become so in time */
export async function awaitReady(session: Session, request: Awaited): Promise<KubeObject> {
  const { inputs, live, previous, signal } = request;
  const log = new StatusLog(request.log);
  if (isAnnotationTrue(inputs, SKIP_AWAIT)) {
    log.show("info", "Skipping await logic");
    log.clear();
    return live;
  }
  const rule = ruleFor(live);
  if (rule === undefined) return live;
  const timeoutMs = rule.fixedTimeoutMs ?? timeoutOf(inputs, request.timeout) ?? DEFAULT_TIMEOUT_MS;
  const deadline = AbortSignal.timeout(timeoutMs);
  const observer = new Observer(session.cluster, live, rule, AbortSignal.any([signal, deadline]), log);
  try {
    let verdict: Verdict = { ready: false };
    for await (const view of observer.views(previous)) {
      verdict = rule.judge(view);
      for (const [severity, message] of verdict.status ?? []) log.show(severity, message);
      if (verdict.ready) break;
      if (view.gone && rule.endsWhenGone) throw new NotReadyError(await goneMessage(session, live), live);
      if (verdict.failed) throw new NotReadyError(failed(live), observer.object, verdict.problems);
      observer.lookAgainIn(verdict.againMs);
    }
    if (!verdict.ready && !verdict.passable) {
      const words = signal.aborted ? rule.cancelMessage : rule.timeoutMessage;
      throw new NotReadyError(words?.(nameOf(live)) ?? CONDITION_TIMED_OUT, observer.object, verdict.problems);
    }
    log.clear();
    return observer.object;
  } finally {
    observer.stop();
  }
}

/** The live object if it is ready now, as a refresh wants to know. @throws NotReadyError when it is not */
export async function checkReady(
  session: Session,
  { inputs, live, log, signal }: Omit<Awaited, "previous" | "timeout">,
): Promise<KubeObject> {
  const rule = ruleOfKind(live);
  if (!rule?.onRead || isAnnotationTrue(inputs, SKIP_AWAIT)) return live;
  const status = new StatusLog(log);
  const related = new Map<string, KubeObject[]>();
  for (const gvk of rule.related ?? []) {
    const { items } = await session.cluster.list(gvk, namespaceOf(live), {}, signal).catch(() => ({ items: [] }));
    related.set(gvk.kind, items as KubeObject[]);
  }
  const verdict = rule.judge({
    object: live,
    written: live,
    previous: undefined,
    related: (kind) => related.get(kind) ?? [],
    isListed: () => true,
    waitedMs: 0,
    quietMs: undefined,
    once: true,
    gone: false,
  });
  for (const [severity, message] of verdict.status ?? []) status.show(severity, message);
  if (!verdict.ready) throw new NotReadyError(failed(live), live, verdict.problems);
  status.clear();
  return session.cluster.get(referenceOf(live), signal).catch(() => live);
}

function failed(object: KubeObject): string {
  return `Resource '${nameOf(object)}' was created but failed to initialize`;
}

/** As the API server says it. */
async function goneMessage({ cluster }: Session, object: KubeObject): Promise<string> {
  const { plural } = await cluster.discovery.find(gvkOfObject(object));
  return `${plural} ${JSON.stringify(nameOf(object))} not found`;
}

function ruleFor(live: KubeObject): Rule | undefined {
  try {
    return ruleOf(live);
  } catch (error) {
    throw new NotReadyError((error as Error).message, live);
  }
}
