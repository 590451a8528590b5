import { compare, minor, major } from "semver";
import { imageVersion } from "../../spec/placement/image-version.ts";
import { type KarmadaVersion, pinnedVersions, supportedVersions, type Versions } from "../../spec/versions.ts";

/** Versions to continue with, and remarks about those that differ from before. */
export interface ChosenVersions {
  readonly versions: Versions;
  readonly notes: readonly string[];
}

/**
 * The versions that images are of, or the nearest that are installed here: another patch of the same minor version, else the next
 * higher one, else the highest.
 *
 * @param images of the three, with their tags
 * @throws when etcd is newer than any here: its data cannot go back
 */
export function chooseVersions(images: Readonly<Record<keyof Versions, string>>): ChosenVersions {
  const notes: string[] = [];
  const chosen = <T extends string>(publisher: keyof Versions, among: readonly T[]): T => {
    const is = imageVersion(images[publisher]);
    const version = is === undefined ? among[0]! : nearest(is, among);
    if (is === undefined)
      notes.push(`${images[publisher]} does not say its version; taken for ${version}: correct versions.${publisher}`);
    else if (is !== version) notes.push(`${publisher} ${is} is not installed here; the nearest is ${version}`);
    return version;
  };
  const karmada = chosen("karmada", Object.keys(supportedVersions) as KarmadaVersion[]);
  const beside = supportedVersions[karmada];
  const etcd = chosen("etcd", beside.etcd);
  const is = imageVersion(images.etcd);
  if (is !== undefined && isOlderMinor(etcd, is))
    throw new Error(`etcd ${is}: is newer than any here (${beside.etcd.join(", ")}), and its data cannot go back`);
  return { versions: { karmada, kubernetes: chosen("kubernetes", beside.kubernetes), etcd }, notes };
}

function nearest<T extends string>(is: string, among: readonly T[]): T {
  const rising = among.toSorted(compare);
  const same = rising.filter((each) => minorOf(each) === minorOf(is));
  return (
    among.find((each) => each === is) ??
    same.find((each) => compare(each, is) > 0) ??
    same.at(-1) ??
    rising.find((each) => compare(each, is) > 0) ??
    rising.at(-1)!
  );
}

const minorOf = (version: string): string => `${major(version)}.${minor(version)}`;

const isOlderMinor = (a: string, b: string): boolean => compare(`${minorOf(a)}.0`, `${minorOf(b)}.0`) < 0;

/** Programs that can examine what an etcd of this image wrote: its version's, or the newest there is. */
export function toolsFor(image: string): { name: string; version: string }[] {
  const is = imageVersion(image);
  const known = pinnedVersions.etcd as readonly string[];
  const version = is !== undefined && known.includes(is) ? is : known.toSorted(compare).at(-1)!;
  return ["etcd", "etcdutl"].map((name) => ({ name, version }));
}
