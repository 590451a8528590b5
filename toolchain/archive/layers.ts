import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import * as tar from "tar";

/** What a layer says about a file: it has it, it hides what lower layers have, or nothing. */
export type LayerAnswer = "found" | "hidden" | "absent";

/**
 * Takes one file out of an image layer.
 * https://github.com/opencontainers/image-spec/blob/main/layer.md#whiteouts
 * @param member absolute path in the image
 * @throws when the layer is damaged or has something other than a file there
 */
export async function takeFromLayer(layer: string, member: string, target: string): Promise<LayerAnswer> {
  const paths = aliases(member.replace(/^\//, ""));
  const hiding = new Set(paths.flatMap(whiteouts));
  let answer: LayerAnswer = "absent";
  const writes: Promise<void>[] = [];
  await tar.t({
    file: layer,
    strict: true,
    onReadEntry: (entry) => {
      const path = entry.path.replace(/^\.?\//, "").replace(/\/$/, "");
      if (hiding.has(path) && answer === "absent") answer = "hidden";
      if (!paths.includes(path)) return;
      if (!["File", "OldFile", "ContiguousFile"].includes(entry.type)) {
        writes.push(Promise.reject(new Error(`${member} is a ${entry.type} in the image, want a file`)));
        return;
      }
      answer = "found";
      writes.push(pipeline(entry, createWriteStream(target, { mode: 0o755 })));
    },
  });
  await Promise.all(writes);
  return answer;
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
