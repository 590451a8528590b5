import { createRequire } from "node:module";

/** The version of an installed npm package: a plugin must have that of the package its resources are declared with. */
export function packageVersion(name: string): string {
  return (createRequire(import.meta.url)(`${name}/package.json`) as { version: string }).version;
}
