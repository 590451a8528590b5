import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeAtomically } from "../lib/atomic-file.ts";
import { sha256 } from "../lib/sha256.ts";
import { manifestFiles } from "../spec/addons/sources.ts";
import type { Context } from "../spec/context.ts";
import type { Rendered, Tell } from "./charts.ts";
import { fileContent, filesIn } from "./named-files.ts";

type Typed = Readonly<Record<string, unknown>>;

/** Contents of URLs, by URL, or why there are none. */
type FetchedFiles = NonNullable<Context["files"]>;

/** What has to be fetched before the checks. */
export interface Fetched {
  readonly files?: FetchedFiles;
  readonly charts?: Rendered;
}

/** Adds the sources of addons, by path and URL as typed. */
export function withAddons(context: Context, typed: Typed, fetched: Fetched): Context {
  const sources = sourcesOf(typed);
  const named = sources.map(({ directory }) => directory).filter((path) => path !== undefined);
  const directories = Object.fromEntries(named.map((path) => [path, filesIn(path, context.directory)] as const));
  const paths = Object.entries(directories).flatMap(([path, found]) =>
    "files" in found ? manifestFiles(path, found.files) : [],
  );
  paths.push(...sources.map(({ file }) => file).filter((path) => path !== undefined));
  return {
    ...context,
    directories: { ...context.directories, ...directories },
    files: {
      ...context.files,
      ...Object.fromEntries(paths.map((path) => [path, fileContent(path, context.directory)])),
      ...fetched.files,
    },
    charts: { ...context.charts, ...fetched.charts },
  };
}

/** Sources of addons that are manifests, as typed, right or wrong. */
function sourcesOf({ addons }: Typed): readonly Readonly<Partial<Record<"file" | "directory" | "url", string>>>[] {
  const entries = (Array.isArray(addons) ? addons : []) as ({ source?: unknown } | null)[];
  return entries.map((entry) => {
    const source = Object.entries((entry?.source ?? {}) as object);
    // Charts are read by helm.
    if (source.some(([key, value]) => key === "kind" && value === "chart")) return {};
    return Object.fromEntries(source.filter(([, value]) => typeof value === "string"));
  });
}

/**
 * Fetches and renders the sources of addons.
 * @param directory of the stack file
 * @param tell is told what takes long @default Pulumi
 */
export async function fetchSources(typed: Typed, directory: string, tell?: Tell): Promise<Fetched> {
  const { renderCharts } = await import("./charts.ts");
  const [files, charts] = await Promise.all([fetchManifests(typed), renderCharts(typed, directory, tell)]);
  return { files, charts };
}

/**
 * Fetches the manifests that addons name by URL, all at the same time, before there is any resource. What was fetched once
 * is taken from this user's store of programs by its digest.
 */
async function fetchManifests(typed: Typed): Promise<FetchedFiles> {
  const wanted = (sourcesOf(typed) as { url?: string; sha256?: string }[]).filter(
    (source) => URL.canParse(source.url ?? "") && /^[0-9a-f]{64}$/.test(source.sha256 ?? ""),
  ) as { url: string; sha256: string }[];
  if (wanted.length === 0) return {};
  const { HttpClient } = await import("../toolchain/net/http.ts");
  const { storeDirectory } = await import("../toolchain/index.ts");
  const [http, directory] = [new HttpClient(), join(storeDirectory(), "manifests")];
  return Object.fromEntries(
    await Promise.all(
      wanted.map(async ({ url, sha256: digest }) => {
        const kept = join(directory, digest);
        const text = textAt(kept);
        if (text !== undefined && sha256(text) === digest) return [url, { text }];
        try {
          const fetched = await http.text(url, { signal: AbortSignal.timeout(deadlineSeconds * 1000) });
          if (sha256(fetched) === digest) writeAtomically(kept, fetched);
          return [url, { text: fetched }];
        } catch (error) {
          return [url, { error: `got "${url}", which cannot be fetched: ${reason(error)}` }];
        }
      }),
    ),
  );
}

const deadlineSeconds = 60;

const reason = (error: unknown): string =>
  (error as Error).name === "TimeoutError" ? `nothing whole within ${deadlineSeconds}s` : (error as Error).message;

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
