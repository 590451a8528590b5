/** Complaints in the words of terraform-plugin-framework-validators. */
import { Unknown } from "../server/index.ts";
import { terraformName } from "./schema.ts";
import type { Attribute, Plain } from "./schema.ts";

type Check = NonNullable<Attribute["check"]>;

/** A number that must not be smaller. */
export function atLeast(minimum: number): Check {
  return (value, _config, name) =>
    (value as number) >= minimum
      ? []
      : [{ message: invalid(name, `value must be at least ${minimum}, got: ${String(value)}`) }];
}

/** A text that must be one of these. */
export function oneOf(allowed: readonly string[]): Check {
  return (value, _config, name) =>
    allowed.includes(value as string) ? [] : [{ message: noMatch(name, allowed, value) }];
}

/** A list whose texts must each be one of these. */
export function eachOneOf(allowed: readonly string[]): Check {
  return (value, _config, name) =>
    elements(value).flatMap((each, index) =>
      each instanceof Unknown || allowed.includes(each as string)
        ? []
        : [{ index, message: noMatch(name, allowed, each, index) }],
    );
}

/** A list whose texts must not be empty. */
export const eachNotEmpty: Check = (value, _config, name) =>
  elements(value).flatMap((each, index) =>
    each === ""
      ? [
          {
            index,
            message: `Invalid Attribute Value Length. Attribute ${path(name, index)} string length must be at least 1, got: 0`,
          },
        ]
      : [],
  );

/** `Attribute length ...` with Terraform's name of the attribute. */
export function invalid(name: string, complaint: string): string {
  return `Invalid Attribute Value. Attribute ${path(name)} ${complaint}`;
}

function noMatch(name: string, allowed: readonly string[], value: Plain, index?: number): string {
  const list = allowed.map((each) => JSON.stringify(each)).join(" ");
  const got = JSON.stringify(value);
  return `Invalid Attribute Value Match. Attribute ${path(name, index)} value must be one of: [${list}], got: ${got}`;
}

function path(name: string, index?: number): string {
  const terraform = terraformName(name, { kind: "string" });
  return index === undefined ? terraform : `${terraform}[${index}]`;
}

function elements(value: Plain): readonly Plain[] {
  return value as readonly Plain[];
}
