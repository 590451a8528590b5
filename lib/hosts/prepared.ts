import { hostPaths, hostProcessPaths } from "./layout.ts";
import { takeUp } from "./process.ts";
import { programKey } from "./unit.ts";

/** Our files among those of a process that a reconciler starts. */
export const preparedFiles = {
  /** Its unit from the next start on. */
  unit: "prepared.service",
  /** Variables from whoever last started it. */
  variables: "started-with.env",
} as const;

/**
 * Shell commands that install a prepared unit and its program, enabled for each boot of the host too; nothing is
 * started now.
 */
export function installPrepared(name: string): string {
  const { file, link, unit, unitFile } = hostProcessPaths(name);
  const prepared = file(preparedFiles.unit);
  return [
    `[ -f ${prepared} ] || { echo "it is not prepared" >&2; exit 1; }`,
    `install -m 644 ${prepared} ${unitFile}.new`,
    `mv -f ${unitFile}.new ${unitFile}`,
    `install -d -m 755 ${hostPaths.programs} ${hostPaths.links}`,
    `ln -sfn "$(sed -n 's/^${programKey}=//p' ${prepared})" ${link}.new`,
    `mv -fT ${link}.new ${link}`,
    takeUp(unit),
  ].join("\n");
}
