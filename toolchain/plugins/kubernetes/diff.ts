import type { Diff, DiffRequest, PropertyDiff } from "../server/index.ts";
import { isAnnotationTrue, REPLACE_UNREADY } from "./annotations.ts";
import { parseCheckpoint } from "./checkpoint.ts";
import { referenceOf } from "./cluster.ts";
import { detailedDiff } from "./detailed-diff.ts";
import { forceNewFields, identity } from "./force-new.ts";
import { gvkOfObject, isPatchType } from "./gvk.ts";
import { mergePatch } from "./merge-patch.ts";
import { isAutonamed, isNamed } from "./naming.ts";
import { normalize } from "./normalize.ts";
import { apiVersionOf, fromProperties, kindOf, nameOf, namespaceOf, removeAt, setAt, setNamespace } from "./object.ts";
import type { KubeObject } from "./object.ts";
import { prune } from "./prune.ts";
import { contains, parsePath } from "./property-path.ts";
import { isJobReady } from "./ready/job.ts";
import type { Session } from "./session.ts";

/**
 * Compares the new inputs with the live object of the state, as far as the old inputs spoke of it: what others
 * changed shows after a refresh, what the cluster filled in never does. Talks to no server.
 */
export async function diff(session: Session, request: DiffRequest): Promise<Diff> {
  const { inputs: oldInputs, live } = parseCheckpoint(request.olds);
  const news = normalize(fromProperties(request.news));
  const olds = await oldsLike(session, prune(live, normalize(oldInputs)), live, news);

  const patch = mergePatch(olds, news);
  const forceNew = isPatchType(request.type, news) ? identity : forceNewFields(news, session.settings);
  const detailed = withoutIgnored(detailedDiff(patch, olds, news, forceNew), request.ignoreChanges);
  const replaces = Object.entries(detailed)
    .filter(([path, { kind }]) => kind.endsWith("-replace") || (kind === "delete" && path === "metadata"))
    .map(([path]) => path);
  if (isAnnotationTrue(news, REPLACE_UNREADY) && (await isUnreadyJob(session, request, news, live))) {
    replaces.push(`.metadata.annotations["${REPLACE_UNREADY}"]`);
  }
  // a new object beside the old one needs another name
  const sameName =
    isNamed(news) && !isAutonamed(news) && nameOf(news) === nameOf(live) && namespaceOf(news) === namespaceOf(live);
  return {
    changes: Object.keys(detailed).length > 0 || replaces.length > 0,
    replaces,
    deleteBeforeReplace: replaces.length > 0 && sameName,
    detailed,
  };
}

/** The pruned live object, with the differences evened out that mean nothing. */
async function oldsLike(session: Session, olds: KubeObject, live: KubeObject, news: KubeObject): Promise<KubeObject> {
  const namespaced = (await session.isNamespaced(gvkOfObject(news))) ?? true;
  setNamespace(olds, namespaced ? namespaceOf(olds) || "default" : "");
  setNamespace(news, namespaced ? namespaceOf(news) || "default" : "");
  if (!apiVersionOf(olds) && !kindOf(olds)) {
    setAt(olds, apiVersionOf(news), "apiVersion");
    setAt(olds, kindOf(news), "kind");
  }
  if (session.settings.enableServerSideApply) removeAt(olds, "metadata", "resourceVersion");
  // a program may spell out the name the server made up
  if (nameOf(news)) setAt(olds, nameOf(live), "metadata", "name");
  return olds;
}

function withoutIgnored(
  detailed: Record<string, PropertyDiff>,
  ignoreChanges: readonly string[],
): Record<string, PropertyDiff> {
  const ignored = ignoreChanges.map(parsePath);
  const kept = Object.entries(detailed).filter(([path]) => {
    const changed = parsePath(path);
    return !ignored.some((each) => contains(each, changed));
  });
  return Object.fromEntries(kept);
}

async function isUnreadyJob(
  session: Session,
  { log, signal }: DiffRequest,
  news: KubeObject,
  live: KubeObject,
): Promise<boolean> {
  if (session.unreachable !== undefined) {
    log("warning", "Cluster is unreachable, skipping replaceUnready check");
    return false;
  }
  if (kindOf(news) !== "Job") {
    log("warning", "replaceUnready annotation is not supported for this resource");
    return false;
  }
  const job = await session.cluster.get(referenceOf(live), signal).catch(() => undefined);
  return job !== undefined && !isJobReady(job);
}
