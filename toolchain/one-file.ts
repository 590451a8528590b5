import { createRequire } from "node:module";
import { join } from "node:path";
import type * as Esbuild from "esbuild";

const checkout = join(import.meta.dirname, "..");
const require = createRequire(import.meta.url);

/** Packages that are no modules ask for what Node.js has by this. */
const commonJs = `import { createRequire as makeRequire } from "node:module";
const require = makeRequire(import.meta.url), __dirname = import.meta.dirname, __filename = import.meta.filename;`;

/**
 * The text of a module that does what a program of this project does, with every package it imports: it starts in half
 * the time of the many files it is made of, and where there is no checkout.
 *
 * @param main for instance `lib/backup/main.ts`
 * @param directory what it takes for its own directory; by default that of the one file
 */
export function oneFile(main: string, directory?: string): string {
  // It takes a tenth of a second to load, which is only spent if a bundle is needed.
  const esbuild = require("esbuild") as typeof Esbuild;
  const { outputFiles } = esbuild.buildSync({
    entryPoints: [join(checkout, main)],
    absWorkingDir: checkout,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    legalComments: "none",
    write: false,
    logLevel: "silent",
    // Machine code of packages, which all of them can do without.
    external: ["*.node"],
    ...(directory !== undefined && { define: { "import.meta.dirname": JSON.stringify(directory) } }),
    banner: { js: commonJs },
  });
  return outputFiles[0]!.text;
}
