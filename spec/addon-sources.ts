import { createHash } from "node:crypto";
import type { TypedAddon } from "./addons.ts";
import type { Context } from "./context.ts";
import { type FoundObject, type ManifestText, readManifests } from "./manifests.ts";
import type { Problem } from "./problems.ts";

type Source = TypedAddon["source"];
type Place = "file" | "directory" | "url";

/** What a source gives: its objects as they were written, or everything that is wrong with it. */
export interface ReadSource {
  readonly objects: readonly FoundObject[];
  readonly problems: readonly Problem[];
}

/** Reads a source. `i` is the addon's place in the list. */
export function readSource({ name, source }: TypedAddon, i: number, context: Context): ReadSource {
  const problem = (field: string, message: string): Problem => ({
    path: ["addons", i, "source", ...(field && [field])],
    message: `${name}: ${message}`,
  });
  const places = (["file", "directory", "url"] as const).filter((place) => source[place] !== undefined);
  const [place] = places;
  if (place === undefined || places.length > 1) {
    const found = places.join(" and ") || "none of them";
    return { objects: [], problems: [problem("", `got ${found}, want one of file, directory and url`)] };
  }
  const complaint = checkDigest(source, place);
  if (complaint !== undefined) return { objects: [], problems: [problem("sha256", complaint)] };
  const { texts, error } = textsOf(source, place, context);
  if (error !== undefined) return { objects: [], problems: [problem(place, error)] };
  const read = texts.map(readManifests);
  const problems = read.flatMap(({ problems }) => problems).map((message) => problem(place, message));
  const objects = read.flatMap(({ objects }) => objects);
  if (objects.length === 0 && problems.length === 0) problems.push(problem(place, "has no Kubernetes object"));
  return { objects, problems };
}

/** The names by which files of a source are in the context: the files of a directory by `directory/file`. */
export const manifestFiles = (directory: string, files: readonly string[]): string[] =>
  files.filter((file) => /\.(ya?ml|json)$/.test(file)).map((file) => `${directory}/${file}`);

function checkDigest({ sha256 }: Source, place: Place): string | undefined {
  if (place === "url" && sha256 === undefined)
    return "missing, want the digest of what the URL must hold: curl -fsSL URL | sha256sum prints it";
  if (place === "directory" && sha256 !== undefined) return "got a digest, want none with a directory";
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

/** The text of a file or URL, when it is the one that was meant. */
function oneText(path: string, sha256: string | undefined, { files = {} }: Context, file = path): Texts {
  const found = files[path] ?? { error: `got "${path}", which was not read` };
  if ("error" in found) return { texts: [], error: found.error };
  const digest = createHash("sha256").update(found.text).digest("hex");
  if (sha256 === undefined || sha256 === digest) return { texts: [{ file, text: found.text }] };
  const error = `got "${path}" with the SHA-256 digest ${digest}, want ${sha256}: look at what changed in it before you note the other digest`;
  return { texts: [], error };
}
