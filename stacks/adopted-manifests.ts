import { isManifest } from "../spec/addons/manifests.ts";
import type { Context } from "../spec/context.ts";
import { fileContent, filesIn } from "./named-files.ts";

/** The context of an `adopted` stack with its manifests read. */
export function withAdopted(context: Context, { adopted }: Readonly<Record<string, unknown>>): Context {
  const { manifests } = (adopted ?? {}) as { readonly manifests?: unknown };
  const found = typeof manifests === "string" ? filesIn(manifests, context.directory) : undefined;
  const names = found !== undefined && "files" in found ? found.files.filter(isManifest) : [];
  const paths = names.map((name) => `${String(manifests)}/${name}`);
  return {
    ...context,
    ...(found && { directories: { ...context.directories, [String(manifests)]: found } }),
    files: {
      ...context.files,
      ...Object.fromEntries(paths.map((path) => [path, fileContent(path, context.directory)])),
    },
  };
}
