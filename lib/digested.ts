import { createHash } from "node:crypto";

/** What is known about data once it has passed through. */
export interface Digest {
  /** Hexadecimal, of the whole content. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** A stream's bytes with their digest, which is known once all of them have been read. */
export interface Digested<D extends Digest = Digest> {
  readonly content: AsyncIterable<Buffer>;
  /** @throws when the content has not been read to its end */
  digest(): D;
}

/** Computes the digest of content as it is read. */
export function digested(content: AsyncIterable<Buffer>): Digested {
  let seen: Digest | undefined;
  return { content: pass(), digest: () => known(seen) };

  async function* pass() {
    const hash = createHash("sha256");
    let sizeBytes = 0;
    for await (const chunk of content) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      yield chunk;
    }
    seen = { sha256: hash.digest("hex"), sizeBytes };
  }
}

/** @throws when the content has not been read to its end */
export function known<D>(seen: D | undefined): D {
  if (seen === undefined) throw new Error("the content has not been read to its end");
  return seen;
}
