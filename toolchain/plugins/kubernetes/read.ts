import { PartialFailure } from "../server/index.ts";
import type { ReadRequest, ReadResult, Value } from "../server/index.ts";
import { LAST_APPLIED } from "./annotations.ts";
import { isNotFound, NoMatchError } from "./api-error.ts";
import { checkpoint, INITIAL_API_VERSION, markSecrets, parseCheckpoint, stateText } from "./checkpoint.ts";
import { referenceOf } from "./cluster.ts";
import { fieldManagerOf } from "./field-manager.ts";
import { gvkOfType, groupVersionOf } from "./gvk.ts";
import { isBuiltIn } from "./kinds.ts";
import { normalize } from "./normalize.ts";
import {
  apiVersionOf,
  clone,
  fromProperties,
  kindOf,
  nameOf,
  namespaceOf,
  parseId,
  removeAt,
  setAt,
  setNamespace,
} from "./object.ts";
import type { KubeObject } from "./object.ts";
import { prune } from "./prune.ts";
import { checkReady, NotReadyError } from "./ready/await.ts";
import type { Session } from "./session.ts";

/** The live object; its inputs are what the old inputs spoke of, or for an import all that a program may set. */
export async function read(session: Session, request: ReadRequest): Promise<ReadResult | undefined> {
  if (session.unreachable !== undefined) return readUnreachable(session, request);
  const { name } = parseId(request.id);
  if (!name) {
    throw new Error(
      `failed to read resource because of a failure to parse resource name from request ID: ${request.id}`,
    );
  }
  const { inputs, isImport } = knownInputs(request);
  const stored = {
    initialApiVersion: stateText(request.state, INITIAL_API_VERSION) ?? apiVersionOf(inputs),
    fieldManager: fieldManagerOf(session.settings, request.state, inputs),
  };
  let live: KubeObject;
  let unready: NotReadyError | undefined;
  try {
    live = await session.cluster.get({ ...referenceOf(inputs), name }, request.signal);
    if (!isImport) {
      try {
        live = await checkReady(session, { ...request, inputs, live });
      } catch (error) {
        if (!(error instanceof NotReadyError)) throw error;
        unready = error;
        live = error.object;
      }
    }
  } catch (error) {
    if (isNotFound(error) || error instanceof NoMatchError) return undefined;
    throw error;
  }
  const liveInputs = isImport ? importedInputs(live, inputs, request) : prune(live, inputs);
  const found = clone(liveInputs) as Record<string, Value>;
  markSecrets(found, request.inputs);
  const result = { id: request.id, outputs: checkpoint(liveInputs, live, request.inputs, stored), inputs: found };
  if (unready)
    throw new PartialFailure(unready.message, { ...result, reasons: [unready.message, ...unready.problems] });
  return result;
}

function readUnreachable({ settings, unreachable }: Session, request: ReadRequest): ReadResult | undefined {
  request.log("warning", `configured Kubernetes cluster is unreachable: ${unreachable}`);
  if (settings.deleteUnreachable) {
    request.log(
      "info",
      "configured Kubernetes cluster is unreachable and the `deleteUnreachable` option is enabled. " +
        "Deleting the unreachable resource from Pulumi state",
    );
    return undefined;
  }
  if (settings.skipUpdateUnreachable) {
    request.log(
      "info",
      "configured Kubernetes cluster is unreachable and the `skipUnreachable` option is enabled. " +
        "Returned data could not reflect the actual cluster configuration.",
    );
    return { id: request.id, outputs: request.state, inputs: request.inputs };
  }
  throw new Error(
    "failed to read resource state due to unreachable cluster. If the cluster was " +
      "deleted, you can remove this resource from Pulumi state by rerunning the operation with the " +
      'PULUMI_K8S_DELETE_UNREACHABLE environment variable set to "true"',
  );
}

/** The inputs in the state, or as much of them as the id says; an import knows no more than that. */
function knownInputs({ id, type, state, inputs: given }: ReadRequest): { inputs: KubeObject; isImport: boolean } {
  const inputs = normalize(fromProperties(given));
  if (apiVersionOf(inputs) && kindOf(inputs)) return { inputs, isImport: false };
  const { live } = parseCheckpoint(state);
  const isImport = !apiVersionOf(live);
  const gvk = gvkOfType(type);
  setAt(inputs, isImport ? groupVersionOf(gvk) : apiVersionOf(live), "apiVersion");
  setAt(inputs, isImport ? gvk.kind : kindOf(live), "kind");
  const { namespace, name } = parseId(id);
  if (!nameOf(inputs)) setAt(inputs, name, "metadata", "name");
  if (!namespaceOf(inputs)) setNamespace(inputs, namespace);
  return { inputs, isImport };
}

/** Everything except the status for Kubernetes' own kinds; the inputs of a custom kind are unknown. */
function importedInputs(live: KubeObject, known: KubeObject, { type }: ReadRequest): KubeObject {
  const inputs = prune(live, known);
  if (isBuiltIn(groupVersionOf(gvkOfType(type)))) {
    for (const [key, field] of Object.entries(live)) if (key !== "status") inputs[key] = clone(field);
  }
  for (const field of ["creationTimestamp", "generation", "managedFields", "resourceVersion", "uid"]) {
    removeAt(inputs, "metadata", field);
  }
  removeAt(inputs, "metadata", "annotations", "deployment.kubernetes.io/revision");
  removeAt(inputs, "metadata", "annotations", LAST_APPLIED);
  return inputs;
}
