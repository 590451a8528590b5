import { DurableFile } from "./durable-file.ts";

/** A stream's bytes, which are also written into a new file; it is whole when the stream has come to its end. */
export async function* teed(content: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer, void> {
  const file = await DurableFile.open(path, "wx");
  try {
    for await (const piece of content) {
      await file.add(piece);
      yield piece;
    }
    await file.finish();
  } finally {
    await file.close();
  }
}
