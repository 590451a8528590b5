import { DurableFile } from "./durable-file.ts";

/**
 * A stream's bytes, also written into a new file. The file is only read and removed again, so nothing waits for the
 * disk: `whole` is called once it can be read, before the last bytes are yielded.
 */
export async function* teed(
  content: AsyncIterable<Buffer>,
  path: string,
  whole: () => void,
): AsyncGenerator<Buffer, void> {
  const file = await DurableFile.open(path, "wx");
  try {
    for await (const piece of content) {
      await file.add(piece);
      yield piece;
    }
    await file.written();
    whole();
  } finally {
    await file.close();
  }
}
