import { Writable } from "node:stream";
import { downloading, inMirror, refusedCode, type Mirror } from "./download-script.ts";
import { CommandFailed, type Host } from "./host.ts";
import { quote } from "./quote.ts";
import { progressOf } from "./transfer-progress.ts";

/**
 * Where a file is in a mirror: at its place in the toolchain's store. What is not from the store, such as programs of
 * this project, is in no mirror.
 */
export const placeInMirror = (file: string): string | undefined => /\/(content\/[0-9a-f]{64}\/.+)$/.exec(file)?.[1];

/** A file that a host gets from a mirror. */
export interface Mirrored {
  readonly mirror: Mirror;
  /** Its place there. */
  readonly place: string;
  readonly sha256: string;
  /** Its size. */
  readonly bytes: number;
}

/** Shell commands that write it to `$new`, fail when its digest differs, and report its size every few seconds. */
const writing = ({ mirror, place, sha256 }: Mirrored): string =>
  [
    downloading(mirror),
    `download ${quote(inMirror(mirror, place))} "$new" ${downloadSeconds} &`,
    `while kill -0 $! 2>/dev/null; do`,
    `  sleep 0.1`,
    `  i=$((\${i:-0} + 1))`,
    `  [ $((i % ${10 * toldSeconds})) != 0 ] || stat -c %s "$new" 2>/dev/null || true`,
    `done`,
    `wait $!`,
    `found=$(sha256sum <"$new" | cut -c1-64)`,
    `[ "$found" = ${sha256} ] || { echo "its SHA-256 is $(echo "$found" | cut -c1-12), want ${sha256.slice(0, 12)}" >&2; exit ${refusedCode}; }`,
  ].join("\n");

/** Has a host download a file. @param receive makes the script that installs what the given commands write */
export async function download(
  host: Host,
  name: string,
  wanted: Mirrored,
  receive: (write: string) => string,
  say: (sentence: string) => void,
): Promise<void> {
  const { mirror, place, bytes } = wanted;
  const what = `downloading ${name} from ${mirror.url}`;
  const sink = () =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        const sizes = chunk.toString().trim().split("\n");
        say(progressOf(`${host.label}: ${what}`, Number(sizes.at(-1)), bytes));
        done();
      },
    });
  try {
    await host.fetch(what, receive(writing(wanted)), sink, { seconds: downloadSeconds + 30 });
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    const cause = error.ended.stderr.trim().split("\n").at(-1) ?? "";
    const advice =
      error.ended.code === refusedCode
        ? `the mirror is to have at ${place} what this machine has: unpack there a bundle with the versions of the stack file (npm run toolchain -- --karmada VERSION --kubernetes VERSION --etcd VERSION --bundle FILE), or obtain programs from it here, too (KARMADA_TOOLCHAIN_MIRROR=${mirror.url})`
        : `without placement.mirror this machine sends it`;
    throw new Error(`${host.label}: ${what}: ${cause}\n${advice}`, { cause: error });
  }
}

const downloadSeconds = 600;
const toldSeconds = 10;
