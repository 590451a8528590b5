import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a directory and those above it. Node's own recursive mkdir never ends where a file system says that a parent
 * that is there is not, as /proc does.
 */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdirUnlessThere(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
    await makeDirectory(dirname(path));
    await mkdirUnlessThere(path);
  }
}

const mkdirUnlessThere = (path: string): Promise<void> =>
  mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
