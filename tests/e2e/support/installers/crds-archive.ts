import { join } from "node:path";
import { execa } from "execa";
import { programPath } from "../../../support/programs.ts";

/** Karmada's definitions as its releases have them, for installers that would download them. @returns the archive's path */
export async function crdsArchive(directory: string): Promise<string> {
  const archive = join(directory, "crds.tar.gz");
  await execa("tar", ["-C", await programPath("karmada-crds"), "--transform=s,^\\.,crds,", "-czf", archive, "."]);
  return archive;
}
