import { hasUnknown, PartialFailure } from "../server/index.ts";
import type { CreateRequest, CreateResult } from "../server/index.ts";
import { isAlreadyExists, isForbidden, isNotFound, NoMatchError } from "./api-error.ts";
import { ApiError } from "./api-error.ts";
import { checkpoint } from "./checkpoint.ts";
import { explainConflict } from "./conflict.ts";
import { CREATOR, fieldManagerOf, isForced } from "./field-manager.ts";
import { gvkOfObject, gvkOfType, groupVersionOf, isCrd, isPatchType } from "./gvk.ts";
import { apiVersionOf, fromProperties, idOf, nameOf, removeAt, setAt } from "./object.ts";
import type { KubeObject } from "./object.ts";
import { uniqueName } from "./naming.ts";
import { awaitReady, NotReadyError } from "./ready/await.ts";
import { retry } from "./retry.ts";
import type { Session } from "./session.ts";

/** Makes the object and waits until it is ready; in a preview, asks the server what it would make. */
export async function create(session: Session, request: CreateRequest): Promise<CreateResult> {
  const inputs = fromProperties(request.inputs);
  if (request.preview && !(await canPreview(session, request, inputs))) return { id: "", outputs: request.inputs };
  const fieldManager = fieldManagerOf(session.settings, request.inputs, inputs);
  const stored = { initialApiVersion: apiVersionOf(inputs), fieldManager };

  let live: KubeObject;
  try {
    live = await retryingWrite(session, request, inputs, fieldManager);
  } catch (error) {
    if (request.preview && isUnpreviewable(error)) return { id: "", outputs: request.inputs };
    throw explain(error, request);
  }
  if (request.preview) {
    removeAt(live, "status");
    return { id: "", outputs: checkpoint(inputs, live, request.inputs, stored) };
  }
  try {
    live = await awaitReady(session, { ...request, inputs, live, previous: undefined });
  } catch (error) {
    const last = (error instanceof NotReadyError && error.object) || live;
    const message =
      `resource ${JSON.stringify(request.urn)} was successfully created, but the Kubernetes API server ` +
      `reported that it failed to fully initialize or become live: ${(error as Error).message}`;
    throw new PartialFailure(message, {
      id: idOf(last),
      outputs: checkpoint(inputs, last, request.inputs, stored),
      reasons: [message, ...(error instanceof NotReadyError ? error.problems : [])],
    });
  }
  if (isCrd(inputs)) session.cluster.discovery.reset();
  return { id: idOf(live), outputs: checkpoint(inputs, live, request.inputs, stored) };
}

/** A dry run needs every value, a server that has the kind, and more than the part a Patch resource knows. */
async function canPreview(session: Session, { type, inputs: given }: CreateRequest, inputs: KubeObject) {
  if (hasUnknown(given) || isPatchType(type, inputs) || !session.settings.enableServerSideApply) return false;
  if (session.unreachable !== undefined) return false;
  return (await session.cluster.discovery.findCached(gvkOfObject(inputs)).catch(() => undefined)) !== undefined;
}

/** A namespace or CustomResourceDefinition made just before may take a moment to be known everywhere. */
async function retryingWrite(
  session: Session,
  request: CreateRequest,
  inputs: KubeObject,
  fieldManager: string,
): Promise<KubeObject> {
  const { log, preview, signal } = request;
  return retry(
    async (count) => {
      try {
        return await write(session, request, inputs, fieldManager);
      } catch (error) {
        if (preview && isNamespaceNotFound(error)) throw new NamespaceNotFound();
        log("info", `Retry #${count}; creation failed: ${(error as Error).message}`, { status: true });
        throw error;
      }
    },
    (error) => isNotFound(error) || error instanceof NoMatchError,
    signal,
  );
}

async function write(
  { cluster, settings }: Session,
  { type, preview, signal, log }: CreateRequest,
  inputs: KubeObject,
  fieldManager: string,
): Promise<KubeObject> {
  const isApply = settings.enableServerSideApply && (settings.upsertExistingObjects || isPatchType(type, inputs));
  if (!isApply) return cluster.create(inputs, { fieldManager: CREATOR, dryRun: preview, signal });
  const options = { fieldManager, dryRun: preview, force: isForced(inputs, undefined, { preview, settings }), signal };
  try {
    return await cluster.apply(inputs, options);
  } catch (error) {
    if (!preview || !isImmutable(error)) throw explainConflict(error, fieldManager);
    const name = uniqueName(nameOf(inputs));
    log("info", `Preview creation failed due to immutable fields; retrying with name ${JSON.stringify(name)}`);
    setAt(inputs, name, "metadata", "name");
    return cluster.apply(inputs, options);
  }
}

function explain(error: unknown, { urn, type }: CreateRequest): Error {
  const message = (error as Error).message;
  if (error instanceof NoMatchError) {
    const gvk = gvkOfType(type);
    return new Error(
      `creation of resource ${JSON.stringify(urn)} with kind ${groupVersionOf(gvk)}/${gvk.kind} failed because the ` +
        "Kubernetes API server reported that the apiVersion for this resource does not exist. " +
        `Verify that any required CRDs have been created: ${message}`,
    );
  }
  const advice = isAlreadyExists(error) ? ALREADY_EXISTS : "";
  return new Error(
    `resource ${JSON.stringify(urn)} was not successfully created by the Kubernetes API server: ${message}${advice}`,
  );
}

const ALREADY_EXISTS =
  "\n\nThe resource already exists in the cluster. This can happen when:\n\n" +
  "  - Renaming a Pulumi resource: use an alias to preserve the identity,\n" +
  "    or use deleteBeforeReplace if the resource needs replacement.\n" +
  "  - Managing an existing resource: use a Patch resource (e.g. NamespacePatch)\n" +
  "    to manage specific fields without owning the resource lifecycle.\n" +
  "  - Adopting a resource into Pulumi: use `pulumi import`. Note that\n" +
  "    protected resources (e.g. kube-system) cannot be deleted on destroy.\n" +
  "  - Intentional upsert: set upsertExistingObjects on the provider to allow\n" +
  "    server-side apply to update existing objects on create.";

class NamespaceNotFound extends Error {}

function isUnpreviewable(error: unknown): boolean {
  return (
    error instanceof NamespaceNotFound ||
    isForbidden(error) ||
    isAlreadyExists(error) ||
    (error instanceof ApiError && error.code === 400 && error.message.includes("does not support dry run"))
  );
}

function isNamespaceNotFound(error: unknown): boolean {
  return isNotFound(error) && /^namespaces "[^"]*" not found$/.test(error.message);
}

function isImmutable(error: unknown): boolean {
  return error instanceof ApiError && error.reason === "Invalid" && error.message.includes("field is immutable");
}
