import { copyFile, mkdir, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pack } from "../../toolchain/archive/pack.ts";
import { makeBundle as makeProgramBundle } from "../../toolchain/bundle.ts";
import { Display } from "../../toolchain/display.ts";
import {
  type Artifact,
  catalogue,
  install,
  type Platform,
  type ProgramRef,
  storeDirectory,
} from "../../toolchain/index.ts";
import { bundleImages } from "../images/bundle.ts";
import { obtainCrane } from "../images/crane.ts";
import { imagesIn, readConfig } from "../images/stack-images.ts";
import { neededPrograms } from "../stack/programs.ts";
import { stackFileOf } from "../stack/stack-file.ts";
import { parts, writeContents } from "./contents.ts";
import { fetchedSources } from "./sources.ts";

export interface MakeOptions {
  readonly signal: AbortSignal;
  /** Platform of the machine that is to run the commands. */
  readonly platform: Platform;
  /** Platform of the nodes that are to pull the images: `linux/amd64`. */
  readonly nodes: string;
  readonly plainHttp: boolean;
  /** Told what is being done. */
  readonly tell: (message: string) => void;
}

/**
 * Packs everything a stack needs besides its own files into one archive: the programs, plugins and CRDs for the machine
 * that manages it, the images of its pods, and the fetched sources of its addons. Unfinished work lies in
 * `<file>.partial` until everything is packed.
 *
 * @param stack path of the stack file
 * @returns the archive's SHA-256
 */
export async function makeBundle(stack: string, file: string, options: MakeOptions): Promise<string> {
  const { signal, platform, nodes, tell } = options;
  const config = await readConfig(stack);
  const sources = fetchedSources(config);
  const { images } = await imagesIn(config, stack);
  const names = [...new Set(images.map(({ image }) => image))];
  signal.throwIfAborted();

  const store = storeDirectory();
  const place = `${resolve(file)}.partial`;
  await mkdir(place, { recursive: true });
  const needed = neededPrograms(stackFileOf(config, dirname(resolve(stack))));
  const programs = await obtain(names.length === 0 ? needed : [...needed, crane()], options);
  tell(`packing ${programs.length} programs for ${platform}`);
  await makeProgramBundle(store, programs, join(place, parts.programs), signal);
  if (names.length > 0) {
    const onPulled = (image: string) => tell(`pulled ${image}`);
    const crane = await obtainCrane(options);
    await bundleImages(names, join(place, parts.images), { crane, signal, platform: nodes, onPulled });
  }
  for (const { path } of sources) {
    await mkdir(dirname(join(place, path)), { recursive: true });
    await copyFile(join(store, path), join(place, path));
  }
  const contents = {
    programs: programs.map(({ name, version, platform, sha256 }) => ({ name, version, platform, sha256 })),
    images: names,
    nodes,
    sources,
  };
  const files = [...new Set(sources.map(({ path }) => path))];
  const packed = [parts.programs, ...(names.length > 0 ? [parts.images] : []), ...files];
  tell("packing all of it");
  const sha256 = await pack(place, await writeContents(place, contents, packed), file, signal);
  await rm(place, { recursive: true });
  return sha256;
}

/** Pulumi's own plugins go with its own CLI; a CLI built here uses the stand-ins of the checkout. */
async function obtain(wanted: readonly ProgramRef[], options: MakeOptions): Promise<Artifact[]> {
  const programs = await installed(wanted, options);
  const isOfficial = programs.some(({ name, source }) => name === "pulumi" && source !== "module");
  return isOfficial ? [...programs, ...(await installed(plugins(), options))] : programs;
}

async function installed(
  wanted: readonly ProgramRef[],
  { platform, signal }: Pick<MakeOptions, "platform" | "signal">,
): Promise<Artifact[]> {
  const display = new Display(process.stderr);
  const onProgress = display.show.bind(display);
  return install(wanted, { platform, signal, onProgress }).finally(() => display.close());
}

const setNamed = (name: string) => catalogue.find((set) => set.name === name)?.programs ?? [];
const plugins = (): ProgramRef[] => setNamed("pulumi-plugins").map(({ name, version }) => ({ name, version }));
/** The tool that puts the images into a registry. */
const crane = (): ProgramRef => catalogue.flatMap(({ programs }) => programs).find(({ name }) => name === "crane")!;
