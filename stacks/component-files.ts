import type { Context } from "../spec/context.ts";
import { componentNames } from "../spec/control-plane/component-names.ts";
import { fileContent } from "./named-files.ts";

/** With the files of this machine that programs of the control plane are given, by path as typed. */
export function withComponentFiles(context: Context, { controlPlane }: Readonly<Record<string, unknown>>): Context {
  const settings = (controlPlane ?? {}) as Readonly<Record<string, { files?: unknown } | null | undefined>>;
  const sources = componentNames.flatMap((component) =>
    Object.values((settings[component]?.files ?? {}) as Readonly<Record<string, { path?: unknown } | null>>),
  );
  const paths = sources.map((source) => source?.path).filter((path) => typeof path === "string");
  const read = Object.fromEntries(paths.map((path) => [path, fileContent(path, context.directory)]));
  return { ...context, files: { ...context.files, ...read } };
}
