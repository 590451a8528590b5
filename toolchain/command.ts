import { access } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { choose } from "./choose.ts";
import { refuseTakenByNpm } from "./npm-options.ts";
import { hostPlatform, parsePlatform } from "./platform.ts";
import type { Platform, ProgramRef } from "./program.ts";
import { configuredSources } from "./sources/configured.ts";
import type { Source } from "./sources/source.ts";

export const help = `usage: npm run toolchain -- [name[@version]...] [options]

Makes sure that programs are there, each of its pinned version and verified: all the default version set needs, or
the named ones. What is there is left alone; an interrupted run goes on where it was.

  --karmada VERSION, --kubernetes VERSION, --etcd VERSION
                     another version set
  --platform OS/ARCH programs for another machine: linux/amd64, linux/arm64, darwin/amd64, darwin/arm64
  --sources A,B      places to try, in this order: installed, mirror, release, image, module (KARMADA_TOOLCHAIN_SOURCES)
  --offline          use no network
  --bundle FILE      pack the programs into FILE (.tar, .tar.gz, .tar.zst) for a machine without network
  --from FILE        install from such a file, and from nowhere else; without names, all it has
  --list             print the pinned list, or the named programs: name, version, platform, source, checksum, path;
                     with --from what that file has, after every byte of it was checked
  --dry-run          print what would be obtained, and from where
  --json             print the result as JSON
  --help             print this

Environment: KARMADA_TOOLCHAIN_DIR (where programs are kept, else ~/.cache/karmada-pulumi), KARMADA_TOOLCHAIN_MIRROR (a
directory or http(s) address with an unpacked bundle), KARMADA_TOOLCHAIN_SOURCES, HTTPS_PROXY, GOPROXY.
Exit codes: 0 all there; 1 something could not be obtained, or nothing in FILE is in the list; 2 wrong usage;
130 interrupted.`;

/** What the command line asks for. */
export interface Command {
  readonly action: "help" | "list" | "plan" | "install";
  /** Programs by name; none: everything the version set, or the bundle, has. */
  readonly names: readonly string[];
  /** What the names, or none, stand for. */
  readonly wanted: readonly ProgramRef[];
  readonly platform: Platform;
  readonly sources: readonly Source[];
  readonly offline: boolean;
  readonly json: boolean;
  /** The bundle to install from. */
  readonly from?: string;
  /** The bundle to make. */
  readonly bundle?: string;
}

/** @throws when it cannot be meant so, saying what can */
export async function readCommand(args: readonly string[]): Promise<Command> {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const options = {
    ...{ karmada: text, kubernetes: text, etcd: text, platform: text, sources: text, bundle: text, from: text },
    ...{ offline: flag, list: flag, "dry-run": flag, json: flag, help: { ...flag, short: "h" } },
  };
  refuseTakenByNpm(args, options);
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const { karmada, kubernetes, etcd, from, bundle, offline, json } = values;
  const platform = values.platform === undefined ? hostPlatform() : parsePlatform(values.platform);
  const versions = { ...(karmada && { karmada }), ...(kubernetes && { kubernetes }), ...(etcd && { etcd }) };
  const command: Command = {
    action: values.help ? "help" : values.list ? "list" : values["dry-run"] ? "plan" : "install",
    names: positionals,
    wanted: values.help ? [] : choose(positionals, versions, platform),
    platform,
    sources: configuredSources(process.env, values.sources),
    offline,
    json,
    ...(from !== undefined && { from }),
    ...(bundle !== undefined && { bundle }),
  };
  if (from !== undefined) {
    refuseTogether("--from", from, "--sources", values.sources);
    if (positionals.length === 0)
      for (const [publisher, version] of Object.entries(versions))
        refuseTogether("--from", from, `--${publisher}`, version, "; name the programs to take another version of");
  }
  if (bundle !== undefined && command.action === "install") await checkBundleName(bundle);
  return command;
}

function refuseTogether(one: string, value: string, other: string, otherValue: string | undefined, remedy = ""): void {
  if (otherValue === undefined) return;
  throw new Error(`${one} ${value} and ${other} ${otherValue} exclude each other: a bundle has what it has${remedy}`);
}

/** Before anything is obtained: packing comes last. */
async function checkBundleName(file: string): Promise<void> {
  if (!/\.(tar|tar\.gz|tgz|tar\.zst)$/.test(file))
    throw new Error(`--bundle: got "${file}", want a name that ends in .tar, .tar.gz or .tar.zst`);
  const directory = dirname(resolve(file));
  await access(directory).catch(() => {
    throw new Error(`--bundle: got "${file}", but there is no directory ${directory}`);
  });
}
