import { chmod, copyFile, mkdir, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { download } from "../net/download.ts";
import { splitLogin, withoutLogin } from "../net/login.ts";
import { title, type Platform, type Program } from "../program.ts";
import { sha256 } from "../sha256.ts";
import { fileSha256 } from "../store/content.ts";
import type { ArtifactRecord } from "../store/store.ts";
import { each, Remediable, type Context, type Order, type Source } from "./source.ts";

/** What a mirror, and a bundle, says it has. */
export interface Manifest {
  readonly format: 1;
  readonly artifacts: readonly ArtifactRecord[];
}

/** Where a mirror, or an unpacked bundle, is. */
interface Place {
  /** A directory or an address, without a login. */
  readonly location: string;
  /** How messages and provenance name it. */
  readonly shown: string;
  /** What requests carry: the login, if it has one. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A directory, or an http(s) address, laid out as an unpacked bundle: `manifest.json`, `manifest.sha256` (its
 * checksum) and `content/<sha256>/...`. Every byte is compared with the manifest.
 * @param location with the login, if it has one: it is neither shown nor kept
 * @param shown how messages and provenance name it. @default the location
 */
export function mirrorSource(location: string | undefined, shown?: string): Source {
  const { address, headers } = splitLogin(location ?? "");
  const place = { location: address, shown: shown ?? address, headers };
  return {
    name: "mirror",
    offers: (_set, program) => (location === undefined ? undefined : `${title(program)} in ${place.shown}`),
    obtain: async (order) => {
      if (order.context.offline && isRemote(place.location)) throw new Error("not tried offline");
      const manifest = await readManifest(place, order.context);
      return each(order, async (program) => {
        const record = recordOf(manifest, program, order.platform);
        if (!record) throw new Error(`${place.shown} does not have it`);
        const directory = await order.context.scratch();
        for (const file of record.files) await fetchFile(place, record, file, directory, order);
        return { directory, address: place.shown, verified: ["manifest checksum", ...record.verified] };
      });
    },
  };
}

/** @throws when it is missing, or differs from its checksum */
export async function readManifest(place: Place, context?: Context): Promise<Manifest> {
  const { shown } = place;
  const [text, sum] = await Promise.all([
    readText(place, "manifest.json", context),
    readText(place, "manifest.sha256", context),
  ]);
  const found = sha256(text);
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
  { location, shown, headers = {} }: Place,
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
    const wanted = { address: joined(location, name), sha256, headers, subject: title(record) };
    const found = await download(wanted, context);
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

const readText = ({ location, headers = {} }: Place, name: string, context?: Context): Promise<string> =>
  isRemote(location) && context
    ? context.http.text(joined(location, name), { headers, signal: context.signal })
    : readFile(join(location, name), "utf8");

/** What a mirror's location can be. @throws when it is no address, or one of another scheme, without its login */
export function checkLocation(location: string | undefined): string | undefined {
  if (location === undefined || !/^\w+:\/\//.test(location)) return location;
  const isAddress = URL.canParse(location);
  if (isAddress && isRemote(location)) return location;
  const found = isAddress ? `got "${withoutLogin(location)}"` : "what it says is no address";
  throw new Error(`KARMADA_TOOLCHAIN_MIRROR: ${found}, want a directory, or an http:// or https:// address`);
}

const isRemote = (location: string): boolean => /^https?:\/\//.test(location);
const joined = (base: string, name: string): string => `${base.replace(/\/$/, "")}/${encodeURI(name)}`;
