import { install, programsOf, defaultVersions } from "../../toolchain/index.ts";

/** The path of a program (or directory) of the default versions, from the toolchain. */
export async function programPath(name: string): Promise<string> {
  const ref = programsOf(defaultVersions).find((program) => program.name === name);
  if (ref === undefined) throw new Error(`${name}: not in the toolchain's list`);
  const [artifact] = await install([ref]);
  if (artifact === undefined) throw new Error(`${name}: the toolchain did not provide it`);
  return artifact.path;
}
