/**
 * A resource type of a Terraform provider as Pulumi's bridge shows it: attributes as data, by their Pulumi names.
 * https://developer.hashicorp.com/terraform/plugin/framework/resources/plan-modification
 */
import type { Log } from "../server/index.ts";
import type { Unknown } from "../server/index.ts";

/** A value without secret wrappers; `undefined` is Terraform's null. */
export type Plain =
  undefined | boolean | number | string | Unknown | readonly Plain[] | { readonly [key: string]: Plain };

/** The attributes of a resource that have a value. */
export type State = { readonly [attribute: string]: Plain };

export type Kind = "string" | "integer" | "boolean" | "strings" | "string-map" | "block";

export interface Attribute {
  /** `block` is a nested object, which Terraform keeps as a list of at most one. */
  readonly kind: Kind;
  /** Terraform's name. @default the Pulumi name in snake case */
  readonly terraformName?: string;
  /** The description of a required input: it is part of the message when the input is missing. */
  readonly required?: string;
  /** An output the user never sets. @default false */
  readonly output?: boolean;
  /** Set by the provider when the user leaves it out. @default only when it is an output or has a default */
  readonly computed?: boolean;
  readonly default?: boolean | number | string;
  /** @default false */
  readonly sensitive?: boolean;
  /** What is shown when it is set although it should not be any more. */
  readonly deprecated?: string;
  /** Keeps the value of the state where a plan would show it as unknown. @default false */
  readonly keep?: boolean;
  /** Changes the planned value, after defaults and `keep`. */
  plan?(planned: Plain, plan: Plan): Plain;
  /** Whether a change replaces the resource. @default false */
  readonly replace?: boolean | ((change: Change) => boolean);
  /** Complaints about a configured value, without a final full stop. */
  check?(value: Plain, config: State, name: string): readonly Complaint[];
  /** The attributes of a block. */
  readonly fields?: Readonly<Record<string, Attribute>>;
}

export interface Complaint {
  /** For instance `Invalid Attribute Value. Attribute length value must be at least 1, got: 0`. */
  readonly message: string;
  /** Element of a list. @default the attribute as a whole */
  readonly index?: number;
}

export interface Change {
  readonly config: Plain;
  readonly prior: Plain;
  readonly planned: Plain;
}

export interface Plan {
  readonly config: State;
  /** `undefined` for a new resource. */
  readonly prior: State | undefined;
  readonly planned: Record<string, Plain>;
  /** Attributes whose change replaces the resource. */
  readonly replaces: Set<string>;
}

export interface BridgedResource {
  readonly attributes: Readonly<Record<string, Attribute>>;
  /** Version of the attributes, kept in the state. @default 0 */
  readonly schemaVersion?: number;
  /** Makes the thing: the planned values with every unknown one filled in. */
  create(planned: State, log: Log): Promise<State>;
  /** @default `id` of the state */
  id?(state: State): string;
  /** @default the state as it is */
  read?(state: State): State;
  /** @default import is refused */
  import?(id: string): State | Promise<State>;
  /** Changes a finished plan. */
  modifyPlan?(plan: Plan): void;
}

/** Terraform's way to fail: shown as `summary: detail`. */
export class Diagnostic extends Error {
  readonly summary: string;
  readonly detail: string;
  constructor(summary: string, detail: string) {
    super(`${summary}: ${detail}`);
    this.summary = summary;
    this.detail = detail;
  }
}

/** `byteLength` as Terraform writes it: `byte_length`. */
export function terraformName(name: string, attribute: Attribute): string {
  return attribute.terraformName ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Whether the provider sets the attribute when the user does not. */
export function isComputed(attribute: Attribute): boolean {
  return attribute.output === true || attribute.computed === true || attribute.default !== undefined;
}
