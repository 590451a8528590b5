/** What the toolchain can obtain, as pure data: the pinned list (programs/) is made of these. */

/** A program by name and version, both as its publisher writes them without a leading `v`. */
export interface ProgramRef {
  readonly name: string;
  readonly version: string;
}

export type Platform = `${"linux" | "darwin"}/${"amd64" | "arm64"}`;

/** One entry of the pinned list. */
export interface Program extends ProgramRef {
  /** What it is for, in one phrase. */
  readonly purpose: string;
  /**
   * `executable`: a file named `main`. `files`: a directory named `main` whose content does not depend on
   * the platform, made of `entries` (a file, or a directory with everything below when it ends in `/`).
   */
  readonly kind: "executable" | "files";
  readonly main: string;
  readonly entries?: readonly string[];
  /** Platforms it exists for at all. @default every Platform */
  readonly platforms?: readonly Platform[];
  /** Arguments that make an executable print its version. */
  readonly versionArgs?: readonly string[];
  /** Build tags without which the program fails late; an executable that records others is refused. */
  readonly requiredTags?: readonly string[];
  /** Of a directory's content, as store/content.ts computes it: known beforehand, whatever the source. */
  readonly contentSha256?: string;
  readonly release?: Release;
  readonly image?: Image;
  readonly module?: ModulePart;
}

/** An official download. `{version}`, `{os}` and `{arch}` in texts stand for what is wanted. */
export interface Release {
  readonly address: string;
  /** The publisher's checksum file: one SHA-256, `SHA-256  name` lines, or GitHub's description of a release. @default none: pinned on first use */
  readonly checksums?: string;
  /** Path of the executable (or directory, for `files`) in the archive. @default the download is the executable itself */
  readonly member?: string;
  /** Further names beside `member` that are kept with it if the archive has them. */
  readonly companions?: readonly string[];
  /** The publisher's words for systems and architectures where they differ from Go's. */
  readonly words?: Readonly<Record<string, string>>;
  /** @default those of the program */
  readonly platforms?: readonly Platform[];
}

/** A container image that contains the program. */
export interface Image {
  /** Registry, repository and tag; `{version}` is filled in. */
  readonly reference: string;
  /** Absolute path in the image's file system. */
  readonly member: string;
}

/** What to take from the set's Go module. */
export type ModulePart =
  /** A main package to build, and the module whose version the result must record. */
  | { readonly kind: "build"; readonly module: string; readonly package: string }
  /** A directory of a module's source tree. */
  | { readonly kind: "directory"; readonly module: string; readonly directory: string };

/** Programs that one publisher releases together, and that one Go module file builds together. */
export interface ProgramSet {
  /** Name and version; also the folder below modules/ with the go.mod, when `build` is given. */
  readonly name: string;
  /** No deployment uses it: it is installed only when it is named. @default false */
  readonly testsOnly?: boolean;
  /** Takes so long to build that the test that needs it obtains it, rather than every run of the tests. @default false */
  readonly late?: boolean;
  readonly build?: {
    readonly tags?: readonly string[];
    /** Go variables set at link time (-X), by full name: the version stamps. */
    readonly stamps?: Readonly<Record<string, string>>;
  };
  readonly programs: readonly Program[];
}

/** `name version`, as messages write a program. */
export const title = (ref: ProgramRef): string => `${ref.name} ${ref.version}`;

/** Fills `{version}`, `{os}` and `{arch}` in. */
export function fill(text: string, version: string, platform: Platform, words: Release["words"] = {}): string {
  const [os, arch] = platform.split("/") as [string, string];
  const values: Record<string, string> = { version, os: words[os] ?? os, arch: words[arch] ?? arch };
  return text.replaceAll(/\{(version|os|arch)\}/g, (_, key: string) => values[key] ?? "");
}
