import { PartialFailure } from "../server/index.ts";
import type { DeleteRequest } from "../server/index.ts";
import { deletionPropagation } from "./annotations.ts";
import { ApiError, isNotFound, NoMatchError } from "./api-error.ts";
import { checkpoint, INITIAL_API_VERSION, parseCheckpoint, stateText } from "./checkpoint.ts";
import { referenceOf } from "./cluster.ts";
import { fieldManagerOf, relinquish } from "./field-manager.ts";
import { isPatchType } from "./gvk.ts";
import { apiVersionOf, idOf, parseId } from "./object.ts";
import { awaitDeleted } from "./ready/deleted.ts";
import { NotReadyError } from "./ready/await.ts";
import type { Session } from "./session.ts";

/** Deletes the object and waits until it is gone; a Patch resource gives up its fields. */
export async function remove(session: Session, request: DeleteRequest): Promise<void> {
  const { inputs, live } = parseCheckpoint(request.state);
  if (session.unreachable !== undefined) return removeUnreachable(session, request);
  const fieldManager = fieldManagerOf(session.settings, request.state, inputs);
  try {
    if (session.settings.enableServerSideApply && isPatchType(request.type, inputs)) {
      await relinquish(session.cluster, live, fieldManager, request.signal);
      return;
    }
    const reference = { ...referenceOf(live), name: parseId(request.id).name };
    await session.cluster.delete(reference, deletionPropagation(inputs), request.signal);
    await awaitDeleted(session, { ...request, inputs, live });
  } catch (error) {
    if (isGone(error)) return;
    if (isRequiredField(error) && isPatchType(request.type, live)) throw requiredField(error as ApiError);
    if (!(error instanceof NotReadyError)) throw error;
    const last = error.object;
    const stored = {
      initialApiVersion: stateText(request.state, INITIAL_API_VERSION) ?? apiVersionOf(inputs),
      fieldManager,
    };
    throw new PartialFailure(error.message, {
      id: idOf(last),
      outputs: checkpoint(live, last, request.state, stored),
    });
  }
}

function removeUnreachable({ settings, unreachable }: Session, { log }: DeleteRequest): void {
  log("warning", `configured Kubernetes cluster is unreachable: ${unreachable}`);
  if (!settings.deleteUnreachable) {
    throw new Error(
      "configured Kubernetes cluster is unreachable. If the cluster was deleted, " +
        "you can remove this resource from Pulumi state by rerunning the operation with the " +
        'PULUMI_K8S_DELETE_UNREACHABLE environment variable set to "true"',
    );
  }
  log(
    "info",
    "configured Kubernetes cluster is unreachable and the `deleteUnreachable` option is enabled. " +
      "Deleting the unreachable resource from Pulumi state",
  );
}

/** With its kind, or by itself. */
function isGone(error: unknown): boolean {
  return isNotFound(error) || error instanceof NoMatchError;
}

function isRequiredField(error: unknown): boolean {
  return error instanceof ApiError && error.reason === "Invalid" && error.message.includes("Required value");
}

function requiredField(error: ApiError): Error {
  const field = error.causes.find(({ reason }) => reason === "FieldValueRequired")?.field ?? error.message;
  return new Error(
    "this Patch resource is currently managing a required field, so it can't be deleted " +
      "directly. Either set the `retainOnDelete` resource option, or transfer ownership of the " +
      `field before deleting: ${field}`,
  );
}
