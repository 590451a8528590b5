import { parseArgs } from "node:util";
import { makeBundle, openBundle } from "./bundle.ts";
import { choose } from "./choose.ts";
import { Display } from "./display.ts";
import { install, listArtifacts, parsePlatform, hostPlatform, storeDirectory, type Artifact } from "./index.ts";
import { programNamed } from "./install.ts";
import { catalogue } from "./catalogue.ts";
import { listing, plain, plan } from "./report.ts";
import { configuredSources } from "./sources/configured.ts";
import { mirrorSource } from "./sources/mirror.ts";
import { findArtifact } from "./store/store.ts";

const help = `usage: npm run toolchain -- [name[@version]...] [options]

Makes sure that programs are there, each of its pinned version and verified: all the default version set needs, or
the named ones. What is there is left alone; an interrupted run goes on where it was.

  --karmada VERSION, --kubernetes VERSION, --etcd VERSION
                     another version set
  --platform OS/ARCH programs for another machine: linux/amd64, linux/arm64, darwin/amd64, darwin/arm64
  --sources A,B      places to try, in this order: installed, mirror, release, image, module (KARMADA_TOOLCHAIN_SOURCES)
  --offline          use no network
  --bundle FILE      pack the programs into FILE (.tar, .tar.gz, .tar.zst) for a machine without network
  --from FILE        install from such a file; without names, all it has
  --list             print the pinned list: name, version, platform, source, checksum, path
  --dry-run          print what would be obtained, and from where
  --json             print the result as JSON
  --help             print this

Environment: KARMADA_TOOLCHAIN_DIR (where programs are kept, else ~/.cache/karmada-pulumi), KARMADA_TOOLCHAIN_MIRROR (a
directory or http(s) address with an unpacked bundle), KARMADA_TOOLCHAIN_SOURCES, HTTPS_PROXY, GOPROXY.
Exit codes: 0 all there; 1 something could not be obtained; 2 wrong usage; 130 interrupted.`;

const interrupted = new AbortController();
let display: Display | undefined;

process.exitCode = await main();

async function main(): Promise<number> {
  let command: ReturnType<typeof readCommand>;
  try {
    command = readCommand();
  } catch (error) {
    console.error(`toolchain: ${(error as Error).message}\nnpm run toolchain -- --help says more`);
    return 2;
  }
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.once(name, () => interrupted.abort(new Error("interrupted; run the same command again to go on")));
  }
  try {
    await execute(command);
    return 0;
  } catch (error) {
    display?.close();
    if (interrupted.signal.aborted) console.error(`toolchain: ${(interrupted.signal.reason as Error).message}`);
    else console.error(`toolchain: ${(error as Error).message}`);
    return interrupted.signal.aborted ? 130 : 1;
  }
}

function readCommand() {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...{ karmada: text, kubernetes: text, etcd: text, platform: text, sources: text, bundle: text, from: text },
      ...{ offline: flag, list: flag, "dry-run": flag, json: flag, help: { ...flag, short: "h" } },
    },
  });
  const platform = values.platform === undefined ? hostPlatform() : parsePlatform(values.platform);
  const { karmada, kubernetes, etcd } = values;
  const versions = { ...(karmada && { karmada }), ...(kubernetes && { kubernetes }), ...(etcd && { etcd }) };
  const env =
    values.sources === undefined ? process.env : { ...process.env, KARMADA_TOOLCHAIN_SOURCES: values.sources };
  return {
    ...values,
    platform,
    names: positionals,
    wanted: choose(positionals, versions, platform),
    sources: configuredSources(env),
  };
}

type Command = ReturnType<typeof readCommand>;

async function execute(command: Command): Promise<void> {
  const store = storeDirectory();
  if (command.help) return console.log(help);
  if (command.list) {
    const artifacts = await listArtifacts(store);
    return console.log(command.json ? JSON.stringify(artifacts.map(plain), undefined, 2) : listing(artifacts));
  }
  if (command["dry-run"]) return dryRun(command, store);
  const started = performance.now();
  const artifacts =
    command.from === undefined ? await obtain(command) : await installBundle(command, command.from, store);
  display?.close();
  if (command.json) console.log(JSON.stringify(artifacts.map(plain), undefined, 2));
  else console.log(`${artifacts.length} programs in ${store} (${((performance.now() - started) / 1000).toFixed(1)}s)`);
  if (command.bundle !== undefined) {
    const sha256 = await makeBundle(store, artifacts, command.bundle);
    console.log(`${sha256}  ${command.bundle}`);
  }
}

function obtain({ wanted, sources, platform, offline }: Command): Promise<Artifact[]> {
  return install(wanted, { sources, platform, offline: offline ?? false, ...watched() });
}

function installBundle(command: Command, file: string, store: string): Promise<Artifact[]> {
  return openBundle(store, file, async (directory, manifest) => {
    const sources = [mirrorSource(directory, file)];
    if (command.names.length > 0) return install(command.wanted, { sources, platform: command.platform, ...watched() });
    const installed: Artifact[] = [];
    for (const record of manifest.artifacts) {
      const platform = record.platform === "any" ? hostPlatform() : record.platform;
      installed.push(...(await install([record], { sources, platform, ...watched() })));
    }
    return installed;
  });
}

async function dryRun({ wanted, sources, platform }: Command, store: string): Promise<void> {
  const found = await Promise.all(
    wanted.map((ref) => findArtifact(store, ref, programNamed(catalogue, ref).kind === "files" ? "any" : platform)),
  );
  const missing = wanted.filter((_, i) => !found[i]);
  console.log(missing.length === 0 ? "all there, nothing to obtain" : plan(missing, sources, platform));
}

/** Progress is shown from the first thing there is to do: a run that finds all in place prints none. */
function watched() {
  return {
    signal: interrupted.signal,
    onProgress: (progress: Parameters<Display["show"]>[0]) => (display ??= new Display(process.stderr)).show(progress),
  };
}
