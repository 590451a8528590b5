/** How an object is kept in the state: the live object, and beside it the inputs it came from. */
import { isMap, Secret, secret, hasSecret } from "../server/index.ts";
import type { Properties, Value } from "../server/index.ts";
import { isObject, fromProperties, toProperties, apiVersionOf, kindOf } from "./object.ts";
import type { KubeObject } from "./object.ts";

const INPUTS = "__inputs";
export const INITIAL_API_VERSION = "__initialApiVersion";
export const FIELD_MANAGER = "__fieldManager";

/** The outputs to store. Secret is what was secret in `from`, and the data of every Secret. */
export function checkpoint(
  inputs: KubeObject,
  live: KubeObject,
  from: Properties,
  { initialApiVersion, fieldManager }: { initialApiVersion: string; fieldManager: string },
): Properties {
  const outputs = toProperties(live);
  const kept = toProperties(inputs);
  markSecrets(outputs, from);
  markSecrets(kept, from);
  // stringData comes back as data
  const stringData = from["stringData"];
  if (apiVersionOf(live) === "v1" && kindOf(live) === "Secret" && stringData instanceof Secret && "data" in outputs) {
    outputs["data"] = secret(outputs["data"]);
  }
  return { ...outputs, [INPUTS]: kept, [INITIAL_API_VERSION]: initialApiVersion, [FIELD_MANAGER]: fieldManager };
}

/** What {@link checkpoint} stored. */
export function parseCheckpoint(state: Properties): { inputs: KubeObject; live: KubeObject } {
  const { [INPUTS]: inputs, ...live } = fromProperties(state);
  return { inputs: isObject(inputs) ? inputs : {}, live };
}

/** A text that the state keeps beside the object. */
export function stateText(
  state: Properties,
  key: typeof INITIAL_API_VERSION | typeof FIELD_MANAGER,
): string | undefined {
  const value = state[key];
  const text = value instanceof Secret ? value.value : value;
  return typeof text === "string" ? text : undefined;
}

/** Marks in `outputs` what is secret in `inputs`, as deep as both are maps; a Secret's data always is. */
export function markSecrets(outputs: Record<string, Value>, inputs: Properties): void {
  if (outputs["kind"] === "Secret") {
    for (const key of ["data", "stringData"]) if (key in outputs) outputs[key] = secret(outputs[key]);
    return;
  }
  for (const [key, input] of Object.entries(inputs)) {
    const output = outputs[key];
    if (output === undefined) continue;
    if (isMap(output) && isMap(input)) markSecrets(output as Record<string, Value>, input);
    else if (hasSecret(input)) outputs[key] = secret(output);
  }
}
