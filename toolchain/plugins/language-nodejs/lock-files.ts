import { parse } from "yaml";
import type { PackageManager } from "./options.ts";

/** A package as a lock file has it. */
export interface Locked {
  readonly name: string;
  readonly version: string;
}

/** What the package managers write, the newer one first. */
export const lockFiles: Readonly<Record<PackageManager, readonly string[]>> = {
  yarn: ["yarn.lock"],
  pnpm: ["pnpm-lock.yaml"],
  bun: ["bun.lock", "bun.lockb"],
  npm: ["package-lock.json"],
};

/** Every package a lock file names. @param file its name, one of `lockFiles` */
export function lockedPackages(file: string, text: string): Locked[] {
  const read = readers[file];
  if (read) return read(text);
  throw new Error(
    "binary bun lockfile (bun.lockb) is not supported for listing packages; " +
      "please upgrade to bun >= 1.2, which uses a text-based lockfile (bun.lock)",
  );
}

const readers: Readonly<Record<string, (text: string) => Locked[]>> = {
  "package-lock.json": readNpm,
  "yarn.lock": readYarn,
  "pnpm-lock.yaml": readPnpm,
  "bun.lock": readBun,
};

/** https://docs.npmjs.com/cli/configuring-npm/package-lock-json: `packages` by place, before npm 7 `dependencies` by name. */
function readNpm(text: string): Locked[] {
  const { packages, dependencies = {} } = JSON.parse(text) as NpmLock;
  if (!packages) return nested(dependencies);
  return Object.entries(packages).flatMap(([place, { version = "", link }]) =>
    place === "" || (version === "" && !link) ? [] : [{ name: nameOf(place), version }],
  );
}

/** The last package of `node_modules/a/node_modules/@s/b`; of a workspace's `packages/a`, as Pulumi has it, `packages`. */
const nameOf = (place: string): string => /^(@[^/]+\/)?[^/]+/.exec(place.split("node_modules/").at(-1)!)![0];

interface NpmLock {
  readonly packages?: Readonly<Record<string, { readonly version?: string; readonly link?: boolean }>>;
  readonly dependencies?: NpmTree;
}

type NpmTree = Readonly<Record<string, { readonly version: string; readonly dependencies?: NpmTree }>>;

const nested = (tree: NpmTree): Locked[] =>
  Object.entries(tree).flatMap(([name, { version, dependencies = {} }]) => [
    { name, version },
    ...nested(dependencies),
  ]);

/** A head such as `"@s/b@^1", "@s/b@^2":`, and below it `version "1.2.3"`. */
function readYarn(text: string): Locked[] {
  const blocks = text.matchAll(/^"?(@?[^@"\s]+)@[^\n]*:\n(?: .*\n)*? +version:? "?([^"\n]+)"?$/gm);
  return firstOfEach([...blocks].map(([, name = "", version = ""]) => ({ name, version })));
}

/** https://github.com/pnpm/spec/tree/master/lockfile: keys are `/@s/b/1.2.3`, or from version 6 on `@s/b@1.2.3(peer@1)`. */
function readPnpm(text: string): Locked[] {
  const { packages = {} } = parse(text) as { packages?: object };
  return Object.keys(packages).flatMap((key) => {
    const [, name = "", version = ""] = /^\/?(@[^/]+\/[^/@]+|[^/@]+)[/@]([^(]+)/.exec(key) ?? [];
    return name === "" ? [] : [{ name, version }];
  });
}

/** JSON with trailing commas; `packages` by place, each a list that begins with `name@version`. */
function readBun(text: string): Locked[] {
  const { packages = {} } = JSON.parse(text.replaceAll(/,(\s*[}\]])/g, "$1")) as {
    packages?: Record<string, string[]>;
  };
  return firstOfEach(
    Object.values(packages).map(([title = ""]) => {
      const at = title.lastIndexOf("@");
      return { name: title.slice(0, at), version: title.slice(at + 1) };
    }),
  );
}

/** Pulumi gives one version of a package from yarn's and bun's files, the first. */
const firstOfEach = (all: readonly Locked[]): Locked[] => [
  ...new Map(all.toReversed().map((each) => [each.name, each])).values(),
];
