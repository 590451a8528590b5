import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { programPath } from "./programs.ts";

/** KWOK's rules for nodes and pods as one file; without any it refuses to start. */
export async function kwokStages(): Promise<string> {
  const directory = await programPath("kwok-stages");
  const files = (await readdir(directory, { recursive: true })).filter((file) => file.endsWith(".yaml")).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(directory, file), "utf8")));
  return texts.join("\n---\n");
}
