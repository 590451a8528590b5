import { z } from "zod";
import type { Context } from "../context.ts";
import { secret, type SecretText, text, words } from "../field.ts";
import { readFile } from "../policies/interpreters.ts";
import type { Problem } from "../problems.ts";
import { type ComponentName, componentNames } from "./component-names.ts";
import type { extraArgsWithFiles } from "./extra-args.ts";

const fileName = text(/^[A-Za-z0-9][-.\w]*$/, 'the name of a file, such as "audit-policy.yaml"');

const source = z.strictObject({
  path: words("the path of a file").optional().describe("A file of this machine; relative to the stack file."),
  text: words("the text of a file").optional().describe("Its text."),
  secretText: secret("the text of a file").optional().describe("Its text, where nobody may read it in the stack file."),
});

/** Files that an operator gives to a program, by name. */
export const componentFiles = z
  .record(fileName, source)
  .default({})
  .describe(
    "Files for it to read, such as an audit policy, by name; a flag gets the path of one as `{ file: NAME }`. Each comes from one of `path`, `text` and `secretText`. Changing one restarts this component only.",
  );

/** Files that an operator gives to a program, by name, with their contents. */
export type ComponentFiles = Readonly<Record<string, SecretText>>;

type Typed = z.output<typeof componentFiles>;

/** A component's settings for its files. */
interface WithFiles {
  readonly files: Typed;
  readonly extraArgs: z.output<typeof extraArgsWithFiles>;
}

/** Finds files without a source, with two sources, or that cannot be read, and flags that refer to a missing one. */
export function checkComponentFiles(
  controlPlane: Readonly<Record<ComponentName, WithFiles>>,
  context: Context,
): Problem[] {
  return componentNames.flatMap((component) => {
    const { files, extraArgs } = controlPlane[component];
    const problem = (path: readonly string[], message: string) => ({
      path: ["controlPlane", component, ...path],
      message,
    });
    const sources = Object.entries(files).flatMap(([name, { path, ...texts }]) => {
      const given = [path, texts.text, texts.secretText].filter((each) => each !== undefined);
      if (given.length !== 1)
        return [problem(["files", name], `got ${given.length} of path, text and secretText, want one`)];
      const read = path === undefined ? undefined : readFile(path, context);
      return read && "error" in read ? [problem(["files", name, "path"], read.error)] : [];
    });
    const flags = Object.entries(extraArgs).flatMap(([flag, value]) =>
      typeof value === "string" || value.file in files
        ? []
        : [
            problem(
              ["extraArgs", flag],
              `got the file "${value.file}", want one of ${component}.files${listed(files)}`,
            ),
          ],
    );
    return [...sources, ...flags];
  });
}

const listed = (files: Typed): string => {
  const names = Object.keys(files).map((name) => `"${name}"`);
  return names.length === 0 ? ", which has none" : `: ${names.join(", ")}`;
};

/** The contents of the files, given or read. */
export const filesOf = (files: Typed, read: Context["files"] = {}): ComponentFiles =>
  Object.fromEntries(
    Object.entries(files).map(([name, { path, text, secretText }]) => {
      const found = path === undefined ? { text } : read[path];
      return [name, (secretText ?? (found && "text" in found ? found.text : undefined) ?? "") as SecretText];
    }),
  );
