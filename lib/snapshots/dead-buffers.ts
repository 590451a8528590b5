import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Passes a stream on and frees its dead buffers on the way. V8 counts only what is in its own heap, where they take
 * next to nothing, and would let 64 MB and more of them pile up.
 */
export async function* freeingBuffers(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > bytesBetween) {
      bytes = 0;
      collect({ type: "minor" });
    }
    yield chunk;
  }
}

/** A minor collection takes about a millisecond. */
const bytesBetween = 4 * 2 ** 20;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (options: { type: "minor" }) => void;
