import { hostPaths, hostProcessPaths } from "./layout.ts";
import { takeUp } from "./process.ts";
import { programKey } from "./unit.ts";

/** Files of ours among those of a process that somebody else starts. */
export const preparedFiles = {
  /** Its unit as it is to be from its next start on. */
  unit: "prepared.service",
  /** Variables of whoever started it last. */
  variables: "started-with.env",
} as const;

/** Shell commands that put a prepared unit and its program where systemd takes them from, at each start of the host too; nothing is started now. */
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
