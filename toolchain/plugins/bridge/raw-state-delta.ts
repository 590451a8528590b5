import { Secret } from "../server/index.ts";
import type { Properties, Value } from "../server/index.ts";
import { terraformName } from "./schema.ts";
import type { Attribute, Plain, State } from "./schema.ts";

/**
 * How the official plugin gets from the outputs back to Terraform's own state: it refuses a state whose note is
 * wrong, so what ours writes must be right for a stack to move from one to the other.
 * https://github.com/pulumi/pulumi-terraform-bridge/blob/v3.135.0/pkg/tfbridge/rawstate.go
 */
export function rawStateDelta(attributes: Readonly<Record<string, Attribute>>, state: State): Properties {
  const deltas: Record<string, Value> = {};
  const renamed: Record<string, Value> = {};
  for (const [name, attribute] of Object.entries(attributes)) {
    const delta = attributeDelta(attribute, state[name]);
    if (delta !== undefined) deltas[name] = delta;
    if (attribute.terraformName !== undefined) renamed[name] = terraformName(name, attribute);
  }
  return {
    obj: {
      ...(Object.keys(deltas).length > 0 && { ps: deltas }),
      ...(Object.keys(renamed).length > 0 && { renamed }),
    },
  };
}

function attributeDelta(attribute: Attribute, value: Plain): Value {
  if (value === undefined) return new Secret({ replace: { raw: attribute.kind === "block" ? [] : null } });
  switch (attribute.kind) {
    case "strings":
      return { arr: {} };
    case "string-map":
      return { map: {} };
    case "block":
      return { plu: { i: rawStateDelta(attribute.fields!, value as State) } };
    default:
      return undefined;
  }
}
