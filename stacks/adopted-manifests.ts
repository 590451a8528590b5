import { isManifest } from "../spec/adopted-program.ts";
import type { Context } from "../spec/context.ts";
import { fileContent, filesIn } from "./named-files.ts";

/** The context of an `adopted` stack with its manifests read. */
export function withAdopted(context: Context, { adopted }: Readonly<Record<string, unknown>>): Context {
  const { manifests, credentials } = (adopted ?? {}) as Typed;
  const kubeconfig = credentials?.kind === "kubeconfigFile" ? credentials.path : undefined;
  const found = typeof manifests === "string" ? filesIn(manifests, context.directory) : undefined;
  const names = found !== undefined && "files" in found ? found.files.filter(isManifest) : [];
  const paths = [...names.map((name) => `${String(manifests)}/${name}`), kubeconfig];
  return {
    ...context,
    ...(found && { directories: { ...context.directories, [String(manifests)]: found } }),
    files: {
      ...context.files,
      ...Object.fromEntries(
        paths.flatMap((path) => (typeof path === "string" ? [[path, fileContent(path, context.directory)]] : [])),
      ),
    },
  };
}

interface Typed {
  readonly manifests?: unknown;
  readonly credentials?: { readonly kind?: unknown; readonly path?: unknown } | null;
}
