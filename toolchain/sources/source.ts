import type { HttpClient } from "../net/http.ts";
import { title, type Platform, type Program, type ProgramSet } from "../program.ts";
import type { Progress } from "../progress.ts";

/** The sources' names, in the order they are tried unless configured otherwise. */
export const sourceNames = ["installed", "mirror", "release", "image", "module"] as const;
export type SourceName = (typeof sourceNames)[number];

/** A place programs can come from. */
export interface Source {
  readonly name: SourceName;
  /** Where it would get the program, for instance an address; undefined when it never has it. */
  offers(set: ProgramSet, program: Program, platform: Platform): string | undefined;
  /** Obtains what it can; one answer per program of the order. */
  obtain(order: Order): Promise<Outcome[]>;
}

/** Programs of one set, wanted together. */
export interface Order {
  readonly set: ProgramSet;
  readonly programs: readonly Program[];
  readonly platform: Platform;
  readonly context: Context;
}

/** What a run shares between its orders. */
export interface Context {
  readonly store: string;
  readonly http: HttpClient;
  readonly offline: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal | undefined;
  readonly progress: (progress: Progress) => void;
  /** Bounds how much is done at once. */
  readonly downloads: <T>(work: () => Promise<T>) => Promise<T>;
  readonly builds: <T>(work: () => Promise<T>) => Promise<T>;
  /** A new empty directory, removed at the end of the run. */
  readonly scratch: () => Promise<string>;
}

export type Outcome =
  | {
      readonly program: Program;
      /** A finished artifact: a directory with `program.main` in it. */
      readonly directory: string;
      readonly address: string;
      readonly verified: readonly string[];
    }
  | { readonly program: Program; readonly error: Error };

/** An error together with what the operator can do about it. */
export class Remediable extends Error {
  readonly remedy: string;
  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}

/** Runs `work` for each program at once; a failure is that program's answer and stops no other. */
export function each(
  order: Order,
  work: (program: Program) => Promise<{ directory: string; address: string; verified: readonly string[] }>,
): Promise<Outcome[]> {
  return Promise.all(
    order.programs.map(async (program): Promise<Outcome> => {
      try {
        return { program, ...(await work(program)) };
      } catch (error) {
        order.context.signal?.throwIfAborted();
        return { program, error: error as Error };
      } finally {
        order.context.progress({ subject: title(program), step: "", finished: "left" });
      }
    }),
  );
}
