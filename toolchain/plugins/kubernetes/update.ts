import { hasUnknown, PartialFailure } from "../server/index.ts";
import type { Properties, UpdateRequest } from "../server/index.ts";
import { annotation, LAST_APPLIED } from "./annotations.ts";
import { isForbidden, NoMatchError } from "./api-error.ts";
import { checkpoint, INITIAL_API_VERSION, parseCheckpoint, stateText } from "./checkpoint.ts";
import { referenceOf } from "./cluster.ts";
import { explainConflict } from "./conflict.ts";
import { adoptFields, fieldManagerOf, isForced, relinquish } from "./field-manager.ts";
import { gvkOfObject, isCrd, isPatchType } from "./gvk.ts";
import { keepIgnored } from "./ignore-changes.ts";
import { normalize } from "./normalize.ts";
import { apiVersionOf, at, fromProperties, idOf, nameOf, setAt } from "./object.ts";
import type { KubeObject } from "./object.ts";
import { prune } from "./prune.ts";
import { awaitReady, NotReadyError } from "./ready/await.ts";
import type { Session } from "./session.ts";
import { threeWayPatch } from "./three-way-patch.ts";

/** Applies the inputs to the live object and waits until it is ready; in a preview, asks what would become of it. */
export async function update(session: Session, request: UpdateRequest): Promise<Properties> {
  if (!request.preview) void session.cluster; // says that it cannot be reached
  const inputs = normalize(fromProperties(request.news));
  if (request.preview && !(await canPreview(session, request.news, inputs))) return request.news;
  const old = parseCheckpoint(request.olds);
  const oldInputs = oldInputsOf(old);
  const stored = {
    initialApiVersion: stateText(request.olds, INITIAL_API_VERSION) ?? apiVersionOf(oldInputs),
    fieldManager: fieldManagerOf(session.settings, request.olds, inputs),
  };
  const outputs = (live: KubeObject) => checkpoint(inputs, live, request.news, stored);

  let live: KubeObject;
  try {
    const previous = await session.cluster.get({ ...referenceOf(inputs), name: nameOf(old.live) }, request.signal);
    live = await write(session, request, { inputs, oldInputs, previous, fieldManager: stored.fieldManager });
    if (!request.preview) live = await awaitReady(session, { ...request, inputs, live, previous });
  } catch (error) {
    if (request.preview && isForbidden(error)) return request.news;
    throw await explain(session, request, old.live, error, outputs);
  }
  const oldManager = fieldManagerOf(session.settings, request.olds, oldInputs);
  if (session.settings.enableServerSideApply && !request.preview && oldManager !== stored.fieldManager) {
    await relinquish(session.cluster, live, oldManager, request.signal);
  }
  return outputs(live);
}

async function canPreview(session: Session, news: Properties, inputs: KubeObject): Promise<boolean> {
  if (hasUnknown(news) || session.unreachable !== undefined) return false;
  return (await session.cluster.discovery.findCached(gvkOfObject(inputs)).catch(() => undefined)) !== undefined;
}

/** What the last deployment asked for, as it is live; with the annotation that client-side apply keeps up. */
function oldInputsOf({ inputs, live }: { inputs: KubeObject; live: KubeObject }): KubeObject {
  const lastApplied = annotation(live, LAST_APPLIED);
  if (lastApplied && !annotation(inputs, LAST_APPLIED)) {
    setAt(inputs, lastApplied, "metadata", "annotations", LAST_APPLIED);
  }
  return prune(live, normalize(inputs));
}

interface Change {
  readonly inputs: KubeObject;
  readonly oldInputs: KubeObject;
  /** The live object before the update. */
  readonly previous: KubeObject;
  readonly fieldManager: string;
}

async function write(session: Session, request: UpdateRequest, change: Change): Promise<KubeObject> {
  const { cluster, settings } = session;
  const { inputs, previous, fieldManager } = change;
  const options = { fieldManager, dryRun: request.preview, signal: request.signal };
  if (isCrd(inputs)) {
    setAt(inputs, at(previous, "metadata", "resourceVersion")!, "metadata", "resourceVersion");
    const live = await cluster.replace(inputs, options);
    if (!request.preview) cluster.discovery.reset();
    return live;
  }
  return settings.enableServerSideApply ? apply(session, request, change) : patch(session, request, change);
}

async function apply(
  { cluster, settings }: Session,
  { type, preview, ignoreChanges, signal }: UpdateRequest,
  { inputs, previous, fieldManager }: Change,
): Promise<KubeObject> {
  const owned =
    preview || isPatchType(type, inputs) ? previous : await adoptFields(cluster, previous, fieldManager, signal);
  keepIgnored(inputs, owned, ignoreChanges, fieldManager);
  const force = isForced(inputs, owned, { preview, settings });
  try {
    return await cluster.apply(inputs, { fieldManager, dryRun: preview, force, signal });
  } catch (error) {
    throw explainConflict(error, fieldManager);
  }
}

/** Client-side apply, as kubectl does it: what the inputs change of the live object, and what they no longer have. */
async function patch(
  { cluster }: Session,
  { preview, ignoreChanges, signal }: UpdateRequest,
  { inputs, oldInputs, previous, fieldManager }: Change,
): Promise<KubeObject> {
  keepIgnored(inputs, previous, ignoreChanges, undefined);
  const { body, contentType } = threeWayPatch(oldInputs, inputs, previous);
  return cluster.patch(referenceOf(previous), body, contentType, { fieldManager, dryRun: preview, signal });
}

async function explain(
  session: Session,
  { urn, signal }: UpdateRequest,
  oldLive: KubeObject,
  error: unknown,
  outputs: (live: KubeObject) => Properties,
): Promise<Error> {
  const message = (error as Error).message;
  if (error instanceof NoMatchError) {
    return new Error(
      `update of resource ${JSON.stringify(urn)} failed because the Kubernetes API server ` +
        "reported that the apiVersion for this resource does not exist. " +
        `Verify that any required CRDs have been created: ${message}`,
    );
  }
  try {
    const live = await session.cluster.get(
      referenceOf(oldLive),
      AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
    );
    const failure = `the Kubernetes API server reported that ${JSON.stringify(idOf(live))} failed to fully initialize or become live: ${message}`;
    return new PartialFailure(failure, {
      id: idOf(live),
      outputs: outputs(live),
      reasons: [failure, ...(error instanceof NotReadyError ? error.problems : [])],
    });
  } catch (unreadable) {
    return new Error(
      `update of resource ${JSON.stringify(urn)} failed: ${message}\n` +
        `unable to get cluster state: ${(unreadable as Error).message}`,
    );
  }
}
