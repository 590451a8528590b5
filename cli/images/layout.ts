import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileSha256 } from "../../toolchain/store/content.ts";

/** Descriptor of an image's manifest. https://github.com/opencontainers/image-spec/blob/v1.1.1/descriptor.md */
export interface Manifest {
  readonly mediaType: string;
  /** `sha256:` and hexadecimal. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
}

/** One of the images of a layout. */
export interface NamedManifest extends Manifest {
  readonly annotations: { readonly [key in (typeof nameKeys)[number]]: string };
}

/** Annotations with its name, as it is pulled: for containerd, and for others. */
const nameKeys = ["io.containerd.image.name", "org.opencontainers.image.ref.name"] as const;

export const named = (manifest: Manifest, image: string): NamedManifest => ({
  ...manifest,
  annotations: { [nameKeys[0]]: image, [nameKeys[1]]: image } as NamedManifest["annotations"],
});

export const nameOf = ({ annotations }: NamedManifest): string => annotations[nameKeys[0]];

/** Where the blobs are, below a layout's directory. */
export const blobs = join("blobs", "sha256");

/**
 * Makes a directory with `blobs` a layout of these images.
 * https://github.com/opencontainers/image-spec/blob/v1.1.1/image-layout.md
 */
export async function writeLayout(directory: string, manifests: readonly Manifest[]): Promise<void> {
  const index = { schemaVersion: 2, mediaType: "application/vnd.oci.image.index.v1+json", manifests };
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  await writeFile(join(directory, "index.json"), `${JSON.stringify(index)}\n`);
}

/** @throws when the directory holds no layout */
export async function readLayout<M extends Manifest = NamedManifest>(directory: string): Promise<readonly M[]> {
  const { manifests } = JSON.parse(await readFile(join(directory, "index.json"), "utf8")) as { manifests: M[] };
  return manifests;
}

/** Checks every blob against its name. @returns the first that differs */
export async function damagedBlob(directory: string): Promise<string | undefined> {
  for (const name of await readdir(join(directory, blobs))) {
    if ((await fileSha256(join(directory, blobs, name))) !== name) return name;
  }
  return undefined;
}
