import { diskProblem } from "./disk-error.ts";
import { title, type Platform, type Program } from "./program.ts";
import { Remediable } from "./sources/source.ts";

/** What the sources said about one program. */
export interface Attempt {
  readonly program: Program;
  readonly failures: { readonly source: string; readonly error: Error }[];
}

/** Programs that no source could provide; the message has each source's answer, and what to do. */
export class NotObtained extends Error {
  readonly attempts: readonly Attempt[];
  constructor(attempts: readonly Attempt[], platform: Platform) {
    super(message(attempts, platform));
    this.attempts = attempts;
  }
}

/** Adds what to do about errors of the machine's own disk, wherever they came up. */
export function withRemedy(error: Error, store: string): Error {
  if (error instanceof Remediable) return error;
  const remedies = { full: `free disk space below ${store}`, locked: `make ${store} writable` };
  const problem = diskProblem(error, store);
  if (problem === undefined) return error;
  const remedy = `${remedies[problem]}, or name another place with KARMADA_TOOLCHAIN_DIR`;
  return new Remediable(error.message, remedy, { cause: error });
}

/** For a store that refuses already its first directory. */
export const cannotWrite = (store: string, error: Error): Error =>
  new Error(
    `${store}: cannot be written (${error.message})\n` +
      `to do: make it writable, free disk space there, or name another place with KARMADA_TOOLCHAIN_DIR`,
    { cause: error },
  );

function message(attempts: readonly Attempt[], platform: Platform): string {
  // Programs of one set mostly fail alike: one paragraph for all that do.
  const paragraphs = new Map<string, string[]>();
  for (const { program, failures } of attempts) {
    const said = failures.map(({ source, error }) => `  ${source}: ${error.message.replaceAll(title(program), "it")}`);
    const text = said.join("\n") || "  no source has it for this platform";
    paragraphs.set(text, [...(paragraphs.get(text) ?? []), title(program)]);
  }
  const bodies = [...paragraphs].map(([said, titles]) => `${titles.join(", ")} for ${platform}: not obtained\n${said}`);
  return [...bodies, `to do: ${remedies(attempts).join(", or ")}`].join("\n");
}

function remedies(attempts: readonly Attempt[]): string[] {
  const own = attempts
    .flatMap(({ failures }) => failures)
    .flatMap(({ error }) => (error instanceof Remediable ? [error.remedy] : []));
  return [
    ...new Set([
      ...own,
      "name a mirror (KARMADA_TOOLCHAIN_MIRROR)",
      "install a bundle made elsewhere (npm run toolchain -- --from FILE)",
    ]),
  ];
}
