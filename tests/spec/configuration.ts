import { resolve } from "../../spec/resolve.ts";
import { SpecError } from "../../spec/problems.ts";
import type { Context } from "../../spec/context.ts";

/** A context in which nothing depends on this machine. */
export const context: Context = {
  stack: "dev",
  directory: "/project",
  home: "/home/operator",
  stateHome: "/home/operator/.local/state",
  now: new Date("2026-06-01T00:00:00Z"),
};

/** The problems `resolve` finds, each as its line; none when it finds none. */
export const problemsOf = (config: unknown, changes: Partial<Context> = {}): string[] =>
  problemsIn(() => resolve(config, { ...context, ...changes }));

/** Those that are found while something is read. */
export function problemsIn(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    return error.message
      .split("\n")
      .slice(1)
      .map((line) => line.trim());
  }
}

/** A member that needs nothing but a name. */
export const simulated = (name: string, more: object = {}) => ({ name, credentials: { kind: "simulated" }, ...more });
