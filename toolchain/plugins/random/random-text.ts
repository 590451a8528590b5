import { randomInt } from "node:crypto";
import { Diagnostic } from "../bridge/schema.ts";
import type { State } from "../bridge/schema.ts";

const NUMBERS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const SPECIAL = "!@#$%&*()-_=+[]{}<>:?";

/**
 * A random text of planned length and classes: the minimum of each class first, the rest from all, then shuffled.
 * https://github.com/hashicorp/terraform-provider-random/blob/v3.9.0/internal/random/string.go
 */
export function randomText(planned: State): string {
  const special = (planned["overrideSpecial"] as string | undefined) || SPECIAL;
  const classes = [
    { use: planned["upper"], minimum: planned["minUpper"], characters: UPPER },
    { use: planned["lower"], minimum: planned["minLower"], characters: LOWER },
    { use: planned["numeric"], minimum: planned["minNumeric"], characters: NUMBERS },
    { use: planned["special"], minimum: planned["minSpecial"], characters: special },
  ];
  const all = classes.flatMap(({ use, characters }) => (use ? [...characters] : []));
  if (all.length === 0) throw readError("the character set specified is empty");
  const picked = classes.flatMap(({ minimum, characters }) => pick([...characters], minimum as number));
  return shuffle([...picked, ...pick(all, (planned["length"] as number) - picked.length)]).join("");
}

function pick(characters: readonly string[], count: number): string[] {
  return Array.from({ length: Math.max(count, 0) }, () => characters[randomInt(characters.length)]!);
}

function shuffle(characters: string[]): string[] {
  for (let last = characters.length - 1; last > 0; last--) {
    const other = randomInt(last + 1);
    [characters[last], characters[other]] = [characters[other]!, characters[last]!];
  }
  return characters;
}

function readError(original: string): Diagnostic {
  return new Diagnostic(
    "Random Read Error",
    "While attempting to generate a random value for this resource, a read error was generated.\n\nRetry the Terraform " +
      "operation. If the error still occurs or happens regularly, please contact the provider developer with hardware " +
      `and operating system information.\n\nOriginal Error: ${original}`,
  );
}
