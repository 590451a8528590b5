import { UNKNOWN, Unknown } from "../server/index.ts";
import { equal } from "./equal.ts";
import { isComputed } from "./schema.ts";
import type { Attribute, BridgedResource, Plain, Plan, State } from "./schema.ts";

/**
 * What a configuration will make of a resource, and which changes replace it, in the order of Terraform's
 * plugin framework: what is configured, then defaults, then unknown for what only the provider knows, then the
 * attributes' own rules, then the resource's.
 * https://github.com/hashicorp/terraform-plugin-framework/blob/v1.19.0/internal/fwserver/server_planresourcechange.go
 *
 * @param prior the state; `undefined` for a new resource
 */
export function plan(resource: BridgedResource, prior: State | undefined, config: State): Plan {
  const attributes = Object.entries(resource.attributes);
  const planned: Record<string, Plain> = {};
  for (const [name, attribute] of attributes) planned[name] = proposed(name, attribute, prior, config);
  const result: Plan = { config, prior, planned, replaces: new Set() };
  if (prior === undefined || changedAttributes(result).length > 0) {
    for (const [name, attribute] of attributes) {
      if (isUnknownUntilApplied(attribute, config[name])) planned[name] = UNKNOWN;
    }
  }
  for (const [name, attribute] of attributes) modify(name, attribute, result);
  resource.modifyPlan?.(result);
  return result;
}

/** The attributes a plan changes, sorted. */
export function changedAttributes({ prior, planned }: Plan): string[] {
  return Object.keys(planned)
    .filter((name) => !equal(planned[name], prior?.[name]))
    .sort();
}

function proposed(name: string, attribute: Attribute, prior: State | undefined, config: State): Plain {
  if (config[name] !== undefined) return config[name];
  return attribute.default ?? (isComputed(attribute) ? prior?.[name] : undefined);
}

function isUnknownUntilApplied(attribute: Attribute, configured: Plain): boolean {
  return configured === undefined && attribute.default === undefined && isComputed(attribute);
}

function modify(name: string, attribute: Attribute, plan: Plan): void {
  const { config, prior, planned, replaces } = plan;
  if (attribute.keep && prior !== undefined && planned[name] instanceof Unknown && config[name] === undefined) {
    planned[name] = prior[name];
  }
  if (attribute.plan) planned[name] = attribute.plan(planned[name], plan);
  if (prior === undefined || equal(planned[name], prior[name])) return;
  const change = { config: config[name], prior: prior[name], planned: planned[name] };
  const { replace = false } = attribute;
  if (typeof replace === "function" ? replace(change) : replace) replaces.add(name);
}
