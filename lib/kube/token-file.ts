import { readFileSync } from "node:fs";

/**
 * What is in a token file now, as somebody renews it there; what cannot be read, or is empty, leaves the one before.
 * So does client-go (transport/token_source.go).
 */
export function tokenIn(file: string, before: string): string {
  try {
    return readFileSync(file, "utf8").trim() || before;
  } catch {
    return before;
  }
}

/** Until when it is shown without looking again, in milliseconds since 1970. */
export const endOfReading = (): number => Date.now() + milliseconds.shown;

const milliseconds = { shown: 60_000 };
