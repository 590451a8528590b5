import { createHash } from "node:crypto";
import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { oneFile } from "../one-file.ts";
import { checkout, standInHome } from "./checkout.ts";
import { writeExecutable } from "./launcher.ts";

/**
 * The program of a stand-in as one file, made anew when its sources or packages have changed: it starts with half the
 * CPU time of the two hundred files it is made of.
 *
 * @param folder of toolchain/plugins
 * @returns its absolute path; that of the sources where esbuild has no program for this machine
 */
export async function standInProgram(folder: string): Promise<string> {
  const directory = join("toolchain", "plugins", folder);
  const main = join(directory, "main.ts");
  const path = join(standInHome, "programs", `${folder}.mjs`);
  const title = `// ${stateOfSources()}\n`;
  if (firstBytes(path, title.length) === title) return path;
  let text: string;
  try {
    text = oneFile(main, join(checkout, directory));
  } catch {
    return join(checkout, main);
  }
  await mkdir(dirname(path), { recursive: true });
  await writeExecutable(path, title + text);
  return path;
}

/** Changes with the sources of the toolchain and the packages; reads no file, as it is asked for in every command. */
function stateOfSources(): string {
  const digest = createHash("sha256").update(process.version);
  const sources = readdirSync(join(checkout, "toolchain"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(ts|txt)$/.test(name))
    .map((name) => join("toolchain", name))
    .sort();
  for (const name of [...sources, "package-lock.json"]) {
    const { size, mtimeMs } = statSync(join(checkout, name));
    digest.update(`\0${name}\0${size}\0${mtimeMs}`);
  }
  return digest.digest("hex");
}

function firstBytes(path: string, count: number): string | undefined {
  try {
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(count);
      readSync(file, bytes, 0, count, 0);
      return bytes.toString("latin1");
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
