import { copyFile, mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { unpack } from "../../toolchain/archive/unpack.ts";
import { Display } from "../../toolchain/display.ts";
import { hostPlatform, storeDirectory } from "../../toolchain/index.ts";
import { installBundle } from "../../toolchain/install-bundle.ts";
import { makeTemporary, removeTemporary } from "../../toolchain/store/store.ts";
import { openImages, pushImages } from "../images/bundle.ts";
import { obtainCrane } from "../images/crane.ts";
import { type Contents, parts, readContents } from "./contents.ts";
import type { Used } from "./outcome.ts";

/** Unpacks a bundle for `use`, once every byte of it was checked, and removes it again. */
export async function openBundle<T>(
  file: string,
  use: (directory: string, contents: Contents) => Promise<T>,
): Promise<T> {
  const directory = await makeTemporary(storeDirectory());
  try {
    await unpack(file, directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") throw new Error(`${file}: there is no such file`, { cause: error });
      throw new Error(`${file}: cannot be unpacked, copy it again or free disk space (${error.message})`, {
        cause: error,
      });
    });
    return await use(directory, await readContents(directory, file));
  } finally {
    await removeTemporary(directory);
  }
}

export interface UseOptions {
  readonly signal: AbortSignal;
  readonly plainHttp: boolean;
  /** Registry, or registry and path, for the images. @default they stay where they are */
  readonly to?: string;
  /** Is told the new name of each image pushed. */
  readonly onPushed: (image: string) => void;
}

/** Puts the contents of an unpacked bundle where commands look for them, using no network except the registry's. */
export async function useBundle(
  directory: string,
  { images, sources }: Contents,
  { signal, to, ...options }: UseOptions,
): Promise<Used> {
  const store = storeDirectory();
  const display = new Display(process.stderr);
  const { artifacts, leftOut } = await installBundle(store, join(directory, parts.programs), {
    platform: hostPlatform(),
    signal,
    onProgress: display.show.bind(display),
  }).finally(() => display.close());
  for (const { path } of sources) await keep(join(directory, path), join(store, path));
  const pushed = to !== undefined && images.length > 0;
  if (pushed)
    await openImages(join(directory, parts.images), store, async (layout, manifests) =>
      pushImages(layout, manifests, to, {
        crane: await obtainCrane({ ...options, signal }),
        onPushed: options.onPushed,
      }),
    );
  return { artifacts, leftOut, pushed };
}

/** Atomically. */
async function keep(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, `${to}.new`);
  await rename(`${to}.new`, to);
}
