import { reveal, secret, Unknown } from "../server/index.ts";
import type { CheckFailure, CheckRequest, CheckResult, Properties } from "../server/index.ts";
import { encodeState } from "./encode.ts";
import type { BridgedResource, Complaint, Plain } from "./schema.ts";

/** Validates inputs and marks the sensitive ones; defaults are not filled in here but planned (plan.ts). */
export async function check(resource: BridgedResource, request: CheckRequest): Promise<CheckResult> {
  const config = encodeState(resource.attributes, request.news);
  const failures: CheckFailure[] = [];
  for (const [name, attribute] of Object.entries(resource.attributes)) {
    const value = config[name];
    if (value === undefined) {
      if (attribute.required !== undefined) failures.push(missing(name, attribute.required));
      continue;
    }
    if (attribute.deprecated)
      request.log("warning", `[WARNING] property "${name}" is deprecated: ${attribute.deprecated}`);
    if (value instanceof Unknown) continue;
    const complaints = notAnInteger(attribute.kind, value) ?? attribute.check?.(value, config, name) ?? [];
    failures.push(...complaints.map((complaint) => refused(request.name, name, complaint)));
  }
  return { inputs: markSensitive(resource, request.news), failures };
}

function missing(name: string, description: string): CheckFailure {
  return { property: "", reason: `Missing required property '${name}': ${description}` };
}

function refused(resource: string, name: string, { message, index }: Complaint): CheckFailure {
  const element = index === undefined ? "" : `[${index}]`;
  return { property: "", reason: `${message}. Examine values at '${resource}.${name}${element}'.` };
}

function notAnInteger(kind: string, value: Plain): Complaint[] | undefined {
  if (kind !== "integer" || Number.isInteger(value)) return undefined;
  const error =
    "Configuration Read Error. An unexpected error was encountered trying to convert an attribute value from the " +
    "configuration. This is always an error in the provider. Please report the following to the provider developer:" +
    `\n\nError: Value %!s(*big.Float=${String(value)}) is not an integer.`;
  return [{ message: error }];
}

/** The official plugins say that they take no secrets: what else was secret, the engine marks itself. */
function markSensitive(resource: BridgedResource, inputs: Properties): Properties {
  const opened = Object.entries(reveal(inputs));
  return Object.fromEntries(
    opened.map(([name, value]) => [name, resource.attributes[name]?.sensitive ? secret(value) : value]),
  );
}
