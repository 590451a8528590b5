import { sha256 } from "../../toolchain/sha256.ts";
import type { Context } from "../context.ts";
import type { Problem } from "../problems.ts";
import type { TypedAddon } from "./addons.ts";
import { readChart } from "./chart-sources.ts";
import { type FoundObject, isManifest, type ManifestText, readManifests } from "./manifests.ts";
import { otherDigest, placeOf } from "./source-place.ts";

type Source = Extract<TypedAddon["source"], { kind: "manifest" }>;
type Place = "file" | "directory" | "url";

/** What a source gives: its objects as they were written, or everything that is wrong with it. */
export interface ReadSource {
  readonly objects: readonly FoundObject[];
  /** What is left out of it, as `Job setup (pre-install)`. */
  readonly omitted: readonly string[];
  readonly problems: readonly Problem[];
}

/** Reads a source. `i` is the addon's place in the list. */
export function readSource({ name, source, namespace }: TypedAddon, i: number, context: Context): ReadSource {
  const { problems, ...read } =
    source.kind === "chart"
      ? readChart({ source, namespace }, context.charts?.[name])
      : { ...readManifest(source, context), omitted: [] };
  return {
    ...read,
    problems: problems.map(({ field, message }) => ({
      path: ["addons", i, "source", ...(field && [field])],
      message: `${name}: ${message}`,
    })),
  };
}

function readManifest(source: Source, context: Context) {
  const wrong = (field: string, message: string) => ({ objects: [], problems: [{ field, message }] });
  const found = placeOf(source, ["file", "directory", "url"]);
  if ("error" in found) return wrong("", found.error);
  const { place } = found;
  const complaint = checkDigest(source, place);
  if (complaint !== undefined) return wrong("sha256", complaint);
  const { texts, error } = textsOf(source, place, context);
  if (error !== undefined) return wrong(place, error);
  const read = texts.map((text) => readManifests(text));
  const problems = read.flatMap(({ problems }) => problems).map((message) => ({ field: place as string, message }));
  const objects = read.flatMap(({ objects }) => objects);
  if (objects.length === 0 && problems.length === 0) return wrong(place, "has no Kubernetes object");
  return { objects, problems };
}

/** The names by which files of a source are in the context: the files of a directory by `directory/file`. */
export const manifestFiles = (directory: string, files: readonly string[]): string[] =>
  files.filter(isManifest).map((file) => `${directory}/${file}`);

function checkDigest({ sha256: digest }: Source, place: Place): string | undefined {
  if (place === "url" && digest === undefined)
    return "missing, want the digest of what the URL must hold: curl -fsSL URL | sha256sum prints it";
  if (place === "directory" && digest !== undefined) return "got a digest, want none with a directory";
  return undefined;
}

interface Texts {
  readonly texts: readonly ManifestText[];
  readonly error?: string;
}

function textsOf(source: Source, place: Place, context: Context): Texts {
  const typed = source[place]!;
  if (place !== "directory") return oneText(typed, source.sha256, context);
  const found = context.directories?.[typed] ?? { error: `got "${typed}", which was not read` };
  if ("error" in found) return { texts: [], error: found.error };
  const paths = manifestFiles(typed, found.files);
  if (paths.length === 0)
    return { texts: [], error: `got "${typed}", which has no file that ends in .yaml, .yml or .json` };
  const all = paths.map((path) => oneText(path, undefined, context, path.slice(typed.length + 1)));
  return all.find(({ error }) => error !== undefined) ?? { texts: all.flatMap(({ texts }) => texts) };
}

/** The text of a file or URL, if it has the expected digest. */
function oneText(path: string, wanted: string | undefined, { files = {} }: Context, file = path): Texts {
  const found = files[path] ?? { error: `got "${path}", which was not read` };
  if ("error" in found) return { texts: [], error: found.error };
  const digest = sha256(found.text);
  if (wanted === undefined || wanted === digest) return { texts: [{ file, text: found.text }] };
  return { texts: [], error: otherDigest(path, digest, wanted) };
}
