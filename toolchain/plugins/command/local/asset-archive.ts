import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Archive } from "../../server/index.ts";
import type { Asset } from "../../server/index.ts";

const BLOCK = 512;

/** An archive of files, with the engine's hash of it: that of a tar archive in the order of names. */
export async function assetArchive(assets: Readonly<Record<string, Asset>>): Promise<Archive> {
  const hash = createHash("sha256");
  for (const [name, { content }] of Object.entries(assets).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const bytes = await readFile((content as { path: string }).path);
    hash
      .update(header(name, bytes.length))
      .update(bytes)
      .update(Buffer.alloc(-bytes.length & (BLOCK - 1)));
  }
  return new Archive({ assets }, hash.update(Buffer.alloc(2 * BLOCK)).digest("hex"));
}

/** As Go's archive/tar writes it for a name of up to 100 characters, a mode and a size. */
function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, "0")}\0`;
  block.write(name, 0);
  block.write(octal(0o600, 8) + octal(0, 8) + octal(0, 8) + octal(size, 12) + octal(0, 12), 100);
  block.write(" ".repeat(8) + "0", 148);
  block.write("ustar\0" + "00", 257);
  block.write(octal(0, 8) + octal(0, 8), 329);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}
