import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir, hostname } from "node:os";
import { dirname, join, resolve } from "node:path";
import { withoutLogin } from "../net/login.ts";
import type { Platform, Program, ProgramRef } from "../program.ts";
import { contentSha256, describeContent, settleContent, sync, type ContentFile } from "./content.ts";
import { makeDirectory } from "./directory.ts";
import { isRunning } from "./lock.ts";

/** Where an artifact came from and what was checked. */
export interface Provenance {
  /** Name of the source, for instance `release`. */
  readonly source: string;
  /** Address, image reference, module version or path there. */
  readonly address: string;
  /** What was checked, each in a phrase. */
  readonly verified: readonly string[];
}

/** What the store keeps about an artifact, beside its content. */
export interface ArtifactRecord extends ProgramRef, Provenance {
  readonly platform: Platform | "any";
  /** Name of the executable or the directory in the content. */
  readonly main: string;
  /** Checksum of the whole content, and the name of its folder. */
  readonly content: string;
  readonly files: readonly ContentFile[];
  /** When it was put into the store, ISO 8601. */
  readonly installed: string;
}

/** A program in the store. */
export interface Artifact extends ArtifactRecord {
  /** Absolute path of the executable, or of the directory. */
  readonly path: string;
  /** Of the executable (as `sha256sum path` prints it), or of the directory's content. */
  readonly sha256: string;
}

/**
 * The directory shared by all checkouts of a user: `content/<sha256>/`, `programs/<platform>/<name>-<version>.json`,
 * `locks/`, `pins/`, and `tmp/` for what is being made.
 */
export function storeDirectory(env: NodeJS.ProcessEnv = process.env): string {
  return resolve(env.KARMADA_TOOLCHAIN_DIR || join(env.XDG_CACHE_HOME || join(homedir(), ".cache"), "karmada-pulumi"));
}

/** A program to look up, and what its content has to have by the pinned list of today. @default whatever was put there */
export type Sought = ProgramRef & Partial<Pick<Program, "main" | "entries">>;

/** Looks a program up; the content must be there in its recorded size. */
export async function findArtifact(
  store: string,
  program: Sought,
  platform: Platform | "any",
): Promise<Artifact | undefined> {
  try {
    const record = JSON.parse(await readFile(recordPath(store, program, platform), "utf8")) as ArtifactRecord;
    if (!hasAll(record, program)) return undefined;
    const directory = join(store, "content", record.content);
    const sizes = await Promise.all(record.files.map(async (file) => (await stat(join(directory, file.path))).size));
    return record.files.every((file, i) => file.size === sizes[i]) ? artifactOf(store, record) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** One that was put there by an earlier list may have less than this one's: it is obtained again. */
const hasAll = ({ main: its, files }: ArtifactRecord, { main = its, entries = [] }: Sought): boolean =>
  main === its &&
  entries.every((entry) =>
    files.some(({ path }) => `${path}/`.startsWith(`${main}/${entry}${entry.endsWith("/") ? "" : "/"}`)),
  );

/** Every program in the store. */
export async function listArtifacts(store: string): Promise<Artifact[]> {
  const names = await readdir(join(store, "programs"), { recursive: true }).catch(() => []);
  const records = names.filter((name) => name.endsWith(".json")).sort();
  const texts = await Promise.all(records.map((name) => readFile(join(store, "programs", name), "utf8")));
  return texts.map((text) => artifactOf(store, JSON.parse(text) as ArtifactRecord));
}

/**
 * Moves a finished directory into the store and records it. Interrupted anywhere, the store has either the whole
 * artifact or nothing of it.
 * @throws when the content is known beforehand and differs
 */
export async function addArtifact(
  store: string,
  program: Program,
  platform: Platform,
  made: string,
  provenance: Provenance,
): Promise<Artifact> {
  const files = await describeContent(made);
  const content = contentSha256(files);
  if (program.contentSha256 !== undefined && content !== program.contentSha256) {
    throw new Error(`content checksum is ${content}, the pinned list says ${program.contentSha256}`);
  }
  await settleContent(made, files);
  await moveInto(join(store, "content", content), made);
  const record: ArtifactRecord = {
    name: program.name,
    version: program.version,
    platform: program.kind === "files" ? "any" : platform,
    main: program.main,
    ...provenance,
    content,
    files,
    installed: new Date().toISOString(),
  };
  await writeDurably(recordPath(store, program, record.platform), JSON.stringify(record, undefined, 2) + "\n");
  return artifactOf(store, record);
}

/** A new directory on the store's own file system; what runs that ended left behind is removed first. */
export async function makeTemporary(store: string): Promise<string> {
  const parent = join(store, "tmp");
  await makeDirectory(parent);
  for (const name of await readdir(parent)) {
    const [host, pid] = name.split("~");
    if (host === hostname() && !isRunning(Number(pid))) await rm(join(parent, name), { recursive: true, force: true });
  }
  return mkdtemp(join(parent, `${hostname()}~${process.pid}~`));
}

/** Removes a temporary directory, even while something interrupted is still writing its last file there. */
export const removeTemporary = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });

/** Writes a file so that a reader sees the old content or the new one, never a part, also after a power cut. */
export async function writeDurably(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const next = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(next, text, { flush: true });
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
  await sync(dirname(path));
}

async function moveInto(target: string, made: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  try {
    await rename(made, target);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    // The same content is there already; a damaged copy of it would have made us come here, so ours replaces it.
    const old = `${made}.old`;
    await rename(target, old);
    await rename(made, target);
    await rm(old, { recursive: true, force: true });
  }
  await sync(dirname(target));
}

const recordPath = (store: string, ref: ProgramRef, platform: string): string =>
  join(store, "programs", platform.replace("/", "-"), `${ref.name}-${ref.version}.json`);

/** A record with where its content is, below `store`, and without the login that those of earlier versions have. */
export function artifactOf(store: string, record: ArtifactRecord): Artifact {
  const main = record.files.find((file) => file.path === record.main);
  return {
    ...record,
    address: withoutLogin(record.address),
    path: join(store, "content", record.content, record.main),
    sha256: main?.sha256 ?? record.content,
  };
}
