import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { prefix } from "../../spec/values/image.ts";
import { parse } from "../../spec/wording.ts";

/** What of the options of `npm run images` cannot be meant so, and what can. */
export function wrongUsage(
  { file, bundle, platform, from, to }: Readonly<Record<string, string>>,
  flags: ReadonlySet<string>,
): string | undefined {
  if (file === "") return '--file: got "", want the path of a stack file';
  if (bundle !== undefined && from !== undefined)
    return "--bundle makes an archive and --from reads one, want one of them";
  if (to !== undefined && from === undefined) return "--to wants --from, the archive to take the images from";
  if (platform !== undefined && bundle === undefined) return "--platform wants --bundle, the archive to make";
  if (flags.has("json") && (bundle ?? from) !== undefined) return "--json is for the list of a stack file's images";
  return (
    (platform === undefined ? undefined : nodesProblem("--platform", platform)) ??
    (to === undefined ? undefined : registryProblem(to)) ??
    (bundle === undefined ? undefined : archiveProblem("--bundle", bundle, "layers are compressed already"))
  );
}

/**
 * What is wrong with the name of an archive to make.
 *
 * @param option that gives it
 * @param why it is not compressed as a whole
 */
export function archiveProblem(option: string, archive: string, why: string): string | undefined {
  if (!archive.endsWith(".tar")) return `${option}: got "${archive}", want a name that ends in .tar: ${why}`;
  const directory = dirname(resolve(archive));
  return existsSync(directory) ? undefined : `${option}: got "${archive}", but there is no directory ${directory}`;
}

/** What is wrong with a platform of nodes. @param option that gives it */
export const nodesProblem = (option: string, platform: string): string | undefined =>
  /^linux\/[a-z\d]+(\/v\d+)?$/.test(platform)
    ? undefined
    : `${option}: got "${platform}", want one such as linux/amd64 or linux/arm64`;

/** What is wrong with a registry to push images to, in the form of the `prefix` of images in a stack file. */
export function registryProblem(to: string): string | undefined {
  const { problems } = parse(prefix, to, []);
  return problems[0] && `--to: ${problems[0].message}`;
}
