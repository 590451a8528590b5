import { readFile } from "node:fs/promises";

/** What the Go linker wrote into an executable; `go version -m` prints the same. */
export interface BuildInfo {
  readonly goVersion: string;
  /** Import path of the main package. */
  readonly path: string;
  /** Module of the main package, and its version (`(devel)` when it was built from a work tree). */
  readonly module: string;
  readonly moduleVersion: string;
  /** Versions of the other modules by path. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** GOOS, GOARCH, -tags and so on. */
  readonly settings: Readonly<Record<string, string>>;
}

const magic = Buffer.from("\xff Go buildinf:", "latin1");

/**
 * Reads the build information of a Go executable (1.18 and later: strings in place).
 * https://pkg.go.dev/debug/buildinfo and internal/buildcfg in Go's source describe the block.
 */
export async function readBuildInfo(path: string): Promise<BuildInfo | undefined> {
  const image = await readFile(path);
  for (let at = image.indexOf(magic); at >= 0; at = image.indexOf(magic, at + 1)) {
    // Aligned to 16 bytes, flag 2: inline strings; anything else is the text of a program that looks for the same.
    if (at % 16 !== 0 || !(image[at + 15]! & 2)) continue;
    const [goVersion, next] = readString(image, at + 32);
    const [modules] = readString(image, next);
    if (goVersion.startsWith("go") || goVersion.startsWith("devel")) return parse(goVersion, modules);
  }
  return undefined;
}

function readString(image: Buffer, at: number): [text: string, next: number] {
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = image[at++] ?? 0;
    length += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  return [image.toString("latin1", at, at + length), at + length];
}

function parse(goVersion: string, modules: string): BuildInfo {
  // Between two 16-byte marks, one fact a line, fields separated by tabs.
  const lines = modules.slice(16, -16).split("\n");
  const fields = lines.map((line) => line.split("\t"));
  const main = fields.find(([key]) => key === "mod") ?? [];
  const named = (wanted: string) => fields.filter(([key]) => key === wanted);
  const settings = named("build").map(([, text = ""]) => {
    const at = text.indexOf("=");
    return [text.slice(0, at).replace(/^"|"$/g, ""), text.slice(at + 1).replace(/^"|"$/g, "")];
  });
  return {
    goVersion,
    path: named("path")[0]?.[1] ?? "",
    module: main[1] ?? "",
    moduleVersion: main[2] ?? "",
    dependencies: Object.fromEntries(named("dep").map(([, path = "", version = ""]) => [path, version])),
    settings: Object.fromEntries(settings) as Record<string, string>,
  };
}
