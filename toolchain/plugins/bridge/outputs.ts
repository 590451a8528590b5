import { isList, isMap, secret, Unknown } from "../server/index.ts";
import type { Properties, Value } from "../server/index.ts";
import { isComputed } from "./schema.ts";
import type { Attribute, BridgedResource, Plain, State } from "./schema.ts";
import { rawStateDelta } from "./raw-state-delta.ts";

/** A plan as a preview shows it: sensitive values secret, unknown ones unknown. */
export function plannedOutputs(resource: BridgedResource, planned: State): Properties {
  const outputs: Record<string, Value> = {};
  for (const [name, attribute] of Object.entries(resource.attributes)) {
    const value = planned[name];
    if (value === undefined) continue;
    outputs[name] = attribute.sensitive && !(value instanceof Unknown) ? secret(value) : value;
  }
  return outputs;
}

/** A state as it is kept, with what the official plugin needs to read it back. */
export function stateOutputs(resource: BridgedResource, state: State): Properties {
  const { schemaVersion = 0 } = resource;
  return {
    ...plannedOutputs(resource, state),
    ...(schemaVersion > 0 && { __meta: JSON.stringify({ schema_version: String(schemaVersion) }) }),
    __pulumi_raw_state_delta: rawStateDelta(resource.attributes, state),
  };
}

/** After a refresh: the inputs the user had set, with the values found. */
export function refreshedInputs(inputs: Properties, outputs: Properties): Properties {
  const refreshed: Record<string, Value> = {};
  for (const [name, old] of Object.entries(inputs)) {
    if (name in outputs) refreshed[name] = refreshedValue(old, outputs[name]);
  }
  return refreshed;
}

function refreshedValue(old: Value, found: Value): Value {
  if (isMap(old) && isMap(found)) return refreshedInputs(old, found);
  if (isList(old) && isList(found)) return found.slice(0, old.length).map((each, i) => refreshedValue(old[i], each));
  return found;
}

/** After an import: every input that has a value other than its kind's zero. */
export function importedInputs(resource: BridgedResource, outputs: Properties): Properties {
  return Object.fromEntries(
    Object.entries(outputs).filter(([name, value]) => {
      const attribute = resource.attributes[name];
      return attribute !== undefined && isInput(attribute) && !isZero(value as Plain);
    }),
  );
}

function isInput(attribute: Attribute): boolean {
  return attribute.required !== undefined || !attribute.output || !isComputed(attribute);
}

function isZero(value: Plain): boolean {
  return value === 0 || value === false || value === "";
}
