import { createHash } from "node:crypto";
import { chmod, copyFile, mkdir, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { download } from "../net/download.ts";
import { title, type Platform, type Program } from "../program.ts";
import { fileSha256 } from "../store/content.ts";
import type { ArtifactRecord } from "../store/store.ts";
import { each, Remediable, type Context, type Order, type Source } from "./source.ts";

/** What a mirror, and a bundle, says it has. */
export interface Manifest {
  readonly format: 1;
  readonly artifacts: readonly ArtifactRecord[];
}

/**
 * A directory, or an http(s) address, laid out as an unpacked bundle: `manifest.json`, `manifest.sha256` (its
 * checksum) and `content/<sha256>/...`. Every byte is compared with the manifest.
 * @param shown how messages and provenance name it. @default the location
 */
export function mirrorSource(location: string | undefined, shown: string | undefined = location): Source {
  return {
    name: "mirror",
    offers: (_set, program) => (location === undefined ? undefined : `${title(program)} in ${shown}`),
    obtain: async (order) => {
      if (order.context.offline && isRemote(location!)) throw new Error("not tried offline");
      const manifest = await readManifest(location!, shown, order.context);
      return each(order, async (program) => {
        const record = recordOf(manifest, program, order.platform);
        if (!record) throw new Error(`${shown} does not have it`);
        const directory = await order.context.scratch();
        for (const file of record.files) await fetchFile(location!, shown!, record, file, directory, order);
        return { directory, address: shown!, verified: ["manifest checksum", ...record.verified] };
      });
    },
  };
}

/**
 * @param shown how messages name the location
 * @throws when it is missing, or differs from its checksum
 */
export async function readManifest(location: string, shown = location, context?: Context): Promise<Manifest> {
  const [text, sum] = await Promise.all([
    readText(location, "manifest.json", context),
    readText(location, "manifest.sha256", context),
  ]);
  const found = createHash("sha256").update(text).digest("hex");
  if (found !== sum.slice(0, 64)) throw changed(`manifest.json in ${shown}`, found, sum.slice(0, 64));
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.format !== 1) throw new Error(`${shown}: manifest format ${String(manifest.format)}, want 1`);
  return manifest;
}

const recordOf = (
  manifest: Manifest,
  { name, version, kind }: Program,
  platform: Platform,
): ArtifactRecord | undefined =>
  manifest.artifacts.find(
    (record) =>
      record.name === name && record.version === version && record.platform === (kind === "files" ? "any" : platform),
  );

async function fetchFile(
  location: string,
  shown: string,
  record: ArtifactRecord,
  file: ArtifactRecord["files"][number],
  directory: string,
  { context }: Order,
): Promise<void> {
  const name = `content/${record.content}/${file.path}`;
  const target = join(directory, file.path);
  await mkdir(dirname(target), { recursive: true });
  if (isRemote(location)) {
    const { sha256 } = file;
    const found = await download({ address: joined(location, name), sha256, subject: title(record) }, context);
    await rename(found.path, target);
  } else {
    await copyFile(join(location, name), target);
    const sha256 = await fileSha256(target);
    if (sha256 !== file.sha256) throw changed(`${file.path} in ${shown}`, sha256, file.sha256);
  }
  await chmod(target, file.executable ? 0o755 : 0o644);
}

/** For a file that differs from what a manifest says. */
export const changed = (what: string, found: string, want: string): Error =>
  new Remediable(`${what} was changed: checksum is ${found}, want ${want}`, "make the bundle or mirror again");

const readText = (location: string, name: string, context?: Context): Promise<string> =>
  isRemote(location) && context
    ? context.http.text(joined(location, name), context)
    : readFile(join(location, name), "utf8");

/** What a mirror's location can be. @throws when it is an address of another scheme */
export function checkLocation(location: string | undefined): string | undefined {
  if (location === undefined || isRemote(location) || !/^\w+:\/\//.test(location)) return location;
  throw new Error(`KARMADA_TOOLCHAIN_MIRROR: got "${location}", want a directory, or an http:// or https:// address`);
}

const isRemote = (location: string): boolean => /^https?:\/\//.test(location);
const joined = (base: string, name: string): string => `${base.replace(/\/$/, "")}/${encodeURI(name)}`;
