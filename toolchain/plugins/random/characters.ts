/** What RandomPassword and RandomString share: which characters, and how many of each. */
import { Unknown } from "../server/index.ts";
import { invalid } from "../bridge/checks.ts";
import type { Attribute, Complaint, Plain, State } from "../bridge/schema.ts";
import { keepNumericInStep } from "./numeric.ts";
import { keepers } from "./keepers.ts";

const allowed: Attribute = { kind: "boolean", default: true, replace: true };
const numeric: Attribute = {
  kind: "boolean",
  computed: true,
  replace: true,
  plan: keepNumericInStep,
  check: atLeastOneClass,
};
const minimum: Attribute = { kind: "integer", default: 0, replace: true };

/** The inputs, by their names. */
export const characterAttributes: Readonly<Record<string, Attribute>> = {
  keepers,
  length: {
    kind: "integer",
    required:
      "The length of the string desired. The minimum value for length is 1 and, length must also be >= " +
      "(`min_upper` + `min_lower` + `min_numeric` + `min_special`).",
    replace: true,
    check: checkLength,
  },
  special: allowed,
  upper: allowed,
  lower: allowed,
  number: { ...numeric, deprecated: "**NOTE**: This is deprecated, use `numeric` instead." },
  numeric,
  minNumeric: minimum,
  minUpper: minimum,
  minLower: minimum,
  minSpecial: minimum,
  overrideSpecial: {
    kind: "string",
    // leaving out what was set to nothing changes nothing
    replace: ({ config, prior }) => !(config instanceof Unknown) && !(config === undefined && prior === ""),
  },
};

/** What an import tells: the text, and every default. */
export function importedCharacters(text: string): State {
  return {
    result: text,
    length: Buffer.byteLength(text),
    ...{ special: true, upper: true, lower: true, number: true, numeric: true },
    ...{ minSpecial: 0, minUpper: 0, minLower: 0, minNumeric: 0 },
  };
}

function checkLength(value: Plain, config: State): readonly Complaint[] {
  const minimums = ["minUpper", "minLower", "minNumeric", "minSpecial"].map((name) => config[name]);
  const sum = minimums.reduce<number>((total, each) => total + (typeof each === "number" ? each : 0), 0);
  const length = value as number;
  return [
    ...(length < 1 ? [`value must be at least 1, got: ${length}`] : []),
    ...(length < sum
      ? [`value must be at least sum of min_upper + min_lower + min_numeric + min_special, got: ${length}`]
      : []),
  ].map((complaint) => ({ message: invalid("length", complaint) }));
}

/** Complains only when every class is configured and off. */
function atLeastOneClass(value: Plain, config: State, name: string): readonly Complaint[] {
  if ([value, config["special"], config["upper"], config["lower"]].some((each) => each !== false)) return [];
  const message =
    "Invalid Attribute Combination. At least one attribute out of " +
    `[special,upper,lower,${name}] must be specified as true`;
  return [{ message }];
}
