import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileSha256 } from "../../toolchain/store/content.ts";
import { sha256 } from "../../lib/sha256.ts";

/** The parts of a bundle: each is a separate file, which the command of the same name reads too. */
export const parts = { programs: "programs.tar.zst", images: "images.tar" } as const;

/** A fetched source of addons: named by its digest, in the store of programs and in a bundle alike. */
export interface FetchedSource {
  readonly addon: string;
  /** Its name at its origin. */
  readonly from: string;
  /** Below the store of programs, and in the bundle: its name is its digest. */
  readonly path: string;
}

/** The contents of a bundle. */
export interface Contents {
  readonly format: 1;
  readonly programs: readonly {
    readonly name: string;
    readonly version: string;
    readonly platform: string;
    readonly sha256: string;
  }[];
  /** As they are pulled. */
  readonly images: readonly string[];
  /** Platform of the nodes they are for. */
  readonly nodes: string;
  readonly sources: readonly FetchedSource[];
  /** Every file of it but this list. */
  readonly files: readonly { readonly path: string; readonly sha256: string; readonly size: number }[];
}

const [list, sum] = ["bundle.json", "bundle.sha256"];

/** Lists the contents of a directory in a file. @returns every name, in the order of packing */
export async function writeContents(
  directory: string,
  contents: Omit<Contents, "format" | "files">,
  names: readonly string[],
): Promise<string[]> {
  const files = await Promise.all(
    names.map(async (path) => {
      const file = join(directory, path);
      return { path, sha256: await fileSha256(file), size: (await stat(file)).size };
    }),
  );
  const text = `${JSON.stringify({ format: 1, ...contents, files } satisfies Contents, undefined, 1)}\n`;
  await writeFile(join(directory, list), text);
  await writeFile(join(directory, sum), `${sha256(text)}  ${list}\n`);
  return [sum, list, ...names];
}

/**
 * The contents of an unpacked bundle, after every byte was checked against its list. @throws when it is none, or
 * damaged
 */
export async function readContents(directory: string, shown: string): Promise<Contents> {
  const texts = await Promise.all([list, sum].map((name) => readFile(join(directory, name), "utf8"))).catch(
    (cause: unknown) => {
      throw new Error(`${shown}: it is no bundle; npm run bundle -- --into makes one`, { cause });
    },
  );
  const [text, line] = texts as [string, string];
  if (line !== `${sha256(text)}  ${list}\n`) throw damaged(shown, list);
  const contents = JSON.parse(text) as Contents;
  if (contents.format !== 1)
    throw new Error(`${shown}: it is a bundle of format ${String(contents.format)}, this version reads 1`);
  for (const { path, sha256 } of contents.files) {
    if ((await fileSha256(join(directory, path)).catch(() => "")) !== sha256) throw damaged(shown, path);
  }
  return contents;
}

const damaged = (shown: string, path: string): Error =>
  new Error(`${shown} is damaged, copy it again: ${path} is something else`);

/** The contents for people, a line for each thing. */
export function listed({ programs, images, nodes, sources }: Contents): string {
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
  return [
    ...section(
      "programs",
      programs.map(({ name, version, platform, sha256 }) => `${name} ${version} ${platform} ${sha256}`),
    ),
    ...section(`images for ${nodes}`, images),
    ...section(
      "sources of addons",
      sources.map(({ addon, from, path }) => `${addon}: ${from} (${path})`),
    ),
  ].join("\n");
}
