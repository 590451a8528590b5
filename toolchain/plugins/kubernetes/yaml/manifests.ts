import { glob, readFile } from "node:fs/promises";
import { parseAllDocuments } from "yaml";
import { kubernetesYaml } from "../../../kubernetes-yaml.ts";
import type { Properties } from "../../server/index.ts";

/**
 * The objects in YAML files and text, in their order. A file is a path, a URL, or with `globs` a pattern of paths.
 *
 * @throws in the official plugin's words when a file cannot be read or is no YAML
 */
export async function loadManifests(
  files: readonly string[],
  text: string,
  { globs, signal }: { readonly globs: boolean; readonly signal: AbortSignal },
): Promise<Properties[]> {
  const texts: string[] = [];
  for (const file of files) {
    if (isUrl(file)) texts.push(await fetchText(file, signal));
    else for (const path of globs && isPattern(file) ? await expand(file) : [file]) texts.push(await readText(path));
  }
  return [...texts, text].flatMap(parseManifests);
}

export function parseManifests(text: string): Properties[] {
  const documents = parseAllDocuments(text, kubernetesYaml);
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => {
    const [error] = document.errors;
    if (error) throw new Error(`decoding YAML: ${error.message}`, { cause: error });
    const object = document.toJS() as Properties | null;
    if (object === null) return [];
    if (typeof object !== "object" || Array.isArray(object)) throw new Error("decoding YAML: a document is not a map");
    return Object.keys(object).length > 0 ? [object] : [];
  });
}

function isUrl(file: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(file) && URL.canParse(file);
}

function isPattern(file: string): boolean {
  return /(?:^|[^\\])[*?[]/.test(file);
}

async function expand(pattern: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const path of glob(pattern)) paths.push(path);
  return paths.sort();
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new Error(`reading YAML file from disk: ${(cause as Error).message}`, { cause });
  }
}

async function fetchText(url: string, signal: AbortSignal): Promise<string> {
  try {
    const response = await fetch(url, { signal });
    if (!response.ok) throw new Error(`${url}: the server answered ${response.status}`);
    return await response.text();
  } catch (cause) {
    throw new Error(`fetching YAML over network: ${(cause as Error).message}`, { cause });
  }
}
