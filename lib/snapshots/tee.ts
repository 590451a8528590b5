import { DurableFile } from "./durable-file.ts";

/**
 * A stream's bytes, which are also written into a new file. It is to be read and removed again, so nothing waits for the
 * disk: `whole` is called once it can be read, before the last bytes have been taken.
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
