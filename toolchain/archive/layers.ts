import { chmod, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ReadEntry } from "tar";
import { isFile, unpack } from "./unpack.ts";

/** What a layer says about a file: it has it, it hides what lower layers have, or nothing. */
export type LayerAnswer = "found" | "hidden" | "absent";

/**
 * Takes one file out of an image layer.
 * https://github.com/opencontainers/image-spec/blob/main/layer.md#whiteouts
 * @param member absolute path in the image
 * @param target where it goes; what is being unpacked lies beside it meanwhile
 * @throws when the layer is damaged or has something other than a file there, or the disk refuses
 */
export async function takeFromLayer(layer: string, member: string, target: string): Promise<LayerAnswer> {
  const paths = aliases(member.replace(/^\//, ""));
  const hiding = new Set(paths.flatMap(whiteouts));
  const into = `${target}.layer`;
  let hidden = false;
  let found: string | undefined;
  let other: string | undefined;
  await mkdir(into);
  try {
    await unpack(layer, into, {
      filter: (name, entry) => {
        const path = name.replace(/^\.?\//, "").replace(/\/$/, "");
        hidden ||= hiding.has(path);
        if (!paths.includes(path)) return false;
        if (!isFile(entry as ReadEntry)) {
          other ??= (entry as ReadEntry).type;
          return false;
        }
        found = path;
        return true;
      },
    });
    if (other !== undefined) throw new Error(`${member} is a ${other} in the image, want a file`);
    if (found === undefined) return hidden ? "hidden" : "absent";
    await rename(join(into, found), target);
    await chmod(target, 0o755);
    return "found";
  } finally {
    await rm(into, { recursive: true, force: true });
  }
}

/** Images with a merged /usr have the same file below usr/. */
const aliases = (path: string): string[] => (/^s?bin\//.test(path) ? [path, `usr/${path}`] : [path]);

/** Names that, in a layer, remove the path from what is below: its own whiteout, and those of the directories above. */
function whiteouts(path: string): string[] {
  const parts = path.split("/");
  return parts.flatMap((part, i) => {
    const parent = parts
      .slice(0, i)
      .map((name) => `${name}/`)
      .join("");
    return [`${parent}.wh.${part}`, `${parent}.wh..wh..opq`];
  });
}
