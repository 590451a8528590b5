import { checkBundle, makeBundle, openBundle } from "./bundle.ts";
import { help, readCommand, type Command } from "./command.ts";
import { Display } from "./display.ts";
import { install, listArtifacts, storeDirectory, type Artifact } from "./index.ts";
import { installBundle } from "./install-bundle.ts";
import { locateProgram, programNamed } from "./install.ts";
import { catalogue } from "./catalogue.ts";
import { leftOutText, listing, nothingOfUse, plain, plan, table } from "./report.ts";
import { Remediable } from "./sources/source.ts";
import { artifactOf } from "./store/store.ts";

const interrupted = new AbortController();
let display: Display | undefined;

// A reader that has seen enough, such as head, is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
process.exitCode = await main();

async function main(): Promise<number> {
  let command: Command;
  try {
    command = await readCommand(process.argv.slice(2));
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
    if (error instanceof Remediable) console.error(`to do: ${error.remedy}`);
    return interrupted.signal.aborted ? 130 : 1;
  }
}

async function execute(command: Command): Promise<void> {
  const store = storeDirectory();
  switch (command.action) {
    case "help":
      return console.log(help);
    case "list":
      return command.from === undefined ? list(command, store) : listBundle(command, command.from, store);
    case "plan":
      return command.from === undefined ? planned(command, store) : listBundle(command, command.from, store);
    case "install":
      return obtain(command, store);
  }
}

async function list({ names, wanted, json }: Command, store: string): Promise<void> {
  const isWanted = ({ name, version }: { name: string; version: string }) =>
    names.length === 0 || wanted.some((ref) => ref.name === name && ref.version === version);
  const artifacts = (await listArtifacts(store)).filter(isWanted);
  const sets = catalogue.map((set) => ({ ...set, programs: set.programs.filter(isWanted) }));
  console.log(json ? asJson(artifacts) : listing(sets, artifacts));
}

/** What a bundle has, when every byte of it is as it was packed. */
function listBundle({ json }: Command, file: string, store: string): Promise<void> {
  return openBundle(store, file, async (directory, manifest) => {
    await checkBundle(directory, manifest, file);
    const artifacts = manifest.artifacts.map((record) => artifactOf(file, record));
    console.log(json ? asJson(artifacts) : listing([], artifacts));
  });
}

async function planned({ wanted, sources, platform, json }: Command, store: string): Promise<void> {
  const found = await Promise.all(wanted.map((ref) => locateProgram(store, programNamed(catalogue, ref), platform)));
  const rows = plan(
    wanted.filter((_, i) => !found[i]),
    sources,
    platform,
  );
  if (json) console.log(JSON.stringify(rows, undefined, 2));
  else if (rows.length === 0) console.log("all there, nothing to obtain");
  else
    console.log(table(rows.map(({ name, version, tries }) => [name, version, tries.join(", then ") || "no source"])));
}

async function obtain(command: Command, store: string): Promise<void> {
  const { wanted, sources, platform, offline, from, bundle, json } = command;
  const started = performance.now();
  const artifacts =
    from === undefined
      ? await install(wanted, { sources, platform, offline, ...watched() })
      : await installed(command, from, store);
  display?.close();
  if (json) console.log(asJson(artifacts));
  else console.log(`${artifacts.length} programs in ${store} (${((performance.now() - started) / 1000).toFixed(1)}s)`);
  if (bundle === undefined) return;
  const sum = `${await makeBundle(store, artifacts, bundle, interrupted.signal)}  ${bundle}`;
  if (json) console.error(sum);
  else console.log(sum);
}

async function installed({ names, wanted, platform }: Command, from: string, store: string): Promise<Artifact[]> {
  const { artifacts, leftOut } = await installBundle(store, from, {
    ...(names.length > 0 && { wanted }),
    platform,
    ...watched(),
  });
  if (artifacts.length === 0) throw nothingOfUse(from, leftOut);
  if (leftOut.length > 0) console.error(`toolchain: ${leftOutText(leftOut)}`);
  return artifacts;
}

function asJson(artifacts: readonly Artifact[]): string {
  return JSON.stringify(artifacts.map(plain), undefined, 2);
}

/** Progress is shown from the first thing there is to do: a run that finds all in place prints none. */
function watched() {
  return {
    signal: interrupted.signal,
    onProgress: (progress: Parameters<Display["show"]>[0]) => (display ??= new Display(process.stderr)).show(progress),
  };
}
