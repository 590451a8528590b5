import { isAbsolute } from "node:path";
import type { FoundProcess } from "../../lib/hosts/found.ts";
import { writeScript } from "../../lib/hosts/process.ts";
import { contentOf } from "../file-contents.ts";
import type { HostProcessInputs } from "../host-process.ts";
import { isOtherHost } from "../hosts/identity.ts";
import type { OnChange, Problem } from "../implementation.ts";
import { isUnknown } from "../props.ts";
import { differingFiles, modeOf } from "./drift.ts";

/** Inputs of a process on a host, whoever starts it. */
export type Declared = Omit<HostProcessInputs, "probe" | "startSeconds" | "follows">;

/** What a change of each means. */
export const declaredInputs: Readonly<Record<keyof Declared, OnChange>> = {
  host: "update",
  name: "replace",
  // Another deployment has other names for all of its resources.
  deployment: "ignore",
  component: "replace",
  program: "update",
  programSha256: "update",
  args: "update",
  env: "update",
  files: "update",
  fileModes: "update",
  rereads: "update",
  stopSeconds: "update",
  memoryBytes: "update",
  cores: "update",
  notifies: "update",
  unitSettings: "update",
  dataDirectory: "update",
  writes: "update",
};

export const declaredId = ({ host, name }: Declared): string => `${host.name}/${name}`;

/** Its place, whatever its host is called; undefined while unknown. */
export function declaredPlace({ host, name }: Partial<Declared>): string | undefined {
  const known = [host?.address, name];
  return known.every((each) => each !== undefined && !isUnknown(each)) ? known.join("/") : undefined;
}

/** It starts on the new host before it stops here. With the same address it is the same place: then it stops first. */
export const otherHost = ({ host }: Declared, inputs: Partial<Declared>) => ({
  replaces: isOtherHost(host, inputs.host) ? ["host"] : [],
  deleteBeforeReplace: inputs.host === undefined || inputs.host.address === host.address,
});

export function checkFiles({ files = {} }: Partial<Declared>, reserved: readonly string[] = []): Problem[] {
  const problem = (key: string, want: string) => ({ property: "files", reason: `got "${key}", ${want}` });
  return Object.keys(files).flatMap((key) => {
    if (reserved.includes(key)) return [problem(key, "which is a name of ours")];
    const isBad = isAbsolute(key) || key.split("/").includes("..") || /\s/.test(key);
    return isBad ? [problem(key, "want a relative path without spaces")] : [];
  });
}

/** Keys of files that are no longer declared. */
export const goneFiles = (before: Declared["files"], { files }: Declared): string[] =>
  Object.keys(before).filter((key) => !(key in files));

/** The script that writes what differs of a process's files. */
export function filesScript(inputs: Declared, found: FoundProcess, gone: readonly string[]): string {
  const { name, component, deployment, dataDirectory } = inputs;
  const ours = deployment !== undefined && { deployment };
  const files = differingFiles(inputs, found).map((key) => ({
    key,
    content: contentOf(inputs.files[key]!, `${name}: ${key}`),
    mode: modeOf(inputs, key),
    isNew: found.pid === undefined && found.files[key] === undefined,
  }));
  return writeScript({ name, component, files, gone, ...ours, ...(dataDirectory !== undefined && { dataDirectory }) });
}
