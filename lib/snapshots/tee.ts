import { once } from "node:events";
import { finished } from "node:stream/promises";
import { durableFile } from "./durable-file.ts";

/** A stream's bytes, which are also written into a new file; it is whole when the stream has come to its end. */
export async function* teed(content: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer, void> {
  const file = durableFile(path, "wx");
  const written = finished(file);
  written.catch(() => {}); // it is awaited below, or the content has failed and its error counts
  try {
    for await (const chunk of content) {
      if (!file.write(chunk)) await Promise.race([once(file, "drain"), written]);
      yield chunk;
    }
    file.end();
    await written;
  } finally {
    file.destroy();
  }
}
