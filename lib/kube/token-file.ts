import { readFileSync } from "node:fs";

/**
 * The present token in a file that may be renewed; if it cannot be read, or is empty, the previous token. client-go
 * does the same (transport/token_source.go).
 */
export function tokenIn(file: string, before: string): string {
  try {
    return readFileSync(file, "utf8").trim() || before;
  } catch {
    return before;
  }
}

/** Until when it is used without reading the file again, in milliseconds since 1970. */
export const endOfReading = (): number => Date.now() + milliseconds.shown;

const milliseconds = { shown: 60_000 };
