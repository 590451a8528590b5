import { execa } from "execa";
import { Display } from "../../toolchain/display.ts";
import { install } from "../../toolchain/index.ts";

/** Runs crane, which knows registries: https://github.com/google/go-containerregistry/tree/main/cmd/crane */
export type Crane = (args: readonly string[]) => Promise<void>;

export interface CraneOptions {
  readonly signal: AbortSignal;
  /** Whether registries may be asked without TLS. @default false */
  readonly plainHttp?: boolean;
}

/** Obtains crane if it is not installed yet. @throws its own message when it fails */
export async function obtainCrane({ signal, plainHttp = false }: CraneOptions): Promise<Crane> {
  const display = new Display(process.stderr);
  const options = { signal, onProgress: display.show.bind(display) };
  const [program] = await install([{ name: "crane", version: "0.22.1" }], options).finally(() => display.close());
  return async (args) => {
    const all = plainHttp ? ["--insecure", ...args] : args;
    const { failed, stderr, timedOut, shortMessage } = await execa(program!.path, all, {
      reject: false,
      cancelSignal: signal,
      timeout: minutes * 60_000,
    });
    signal.throwIfAborted();
    if (timedOut) throw new Error(`it was not done within ${minutes} minutes`);
    if (failed) throw new Error(said(stderr) || shortMessage);
  };
}

/** For one image: a gigabyte at 0.6 MB a second. */
const minutes = 30;

/** Its last line; warnings and progress come before that. */
const said = (stderr: string): string => (stderr.trim().split("\n").at(-1) ?? "").replace(/^Error: /, "");
