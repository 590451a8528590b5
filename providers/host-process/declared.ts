import type { HostProcessInputs } from "../host-process.ts";
import { isOtherHost } from "../hosts/identity.ts";
import type { OnChange } from "../implementation.ts";
import { isUnknown } from "../props.ts";

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
