import { jsonOf } from "../../spec/values/json-of.ts";
import { type HostAddress, labelOf } from "../hosts/address.ts";
import type { Host } from "../hosts/host.ts";
import { quote } from "../hosts/quote.ts";
import type { ProgramPod } from "../kube/pod-file.ts";
import { parseStatus, readStatus, type BackupStatus } from "./status.ts";

/** Where the status of backups is. */
export interface StatusAddress {
  readonly path: string;
  /** @default this machine */
  readonly host?: HostAddress;
  /** @default this machine */
  readonly pod?: ProgramPod;
}

/** How messages name it. */
export function placeOf({ path, host, pod }: StatusAddress): string {
  if (pod !== undefined) return `${pod.namespace}/${pod.instance}: ${path}`;
  return host === undefined ? path : `${labelOf(host)}: ${path}`;
}

/** @returns undefined when there is no such file, or none that can be read as one */
export async function statusAt({ path, host, pod }: StatusAddress): Promise<BackupStatus | undefined> {
  if (pod !== undefined) return statusIn(pod, path);
  if (host === undefined) return readStatus(path);
  const { hostAt } = await import("../hosts/hosts.ts");
  return statusOn(hostAt(host), path);
}

/**
 * Reads the status of backups with a login of its own that ends with the call, so that it does not keep the program
 * running.
 * @returns undefined when there is no such file, or none that can be read as one
 */
export async function statusOnce(address: StatusAddress): Promise<BackupStatus | undefined> {
  if (address.host === undefined) return statusAt(address);
  // The SSH client takes a tenth of a second to load, which a deployment on this machine need not pay.
  const { Host } = await import("../hosts/host.ts");
  const once = new Host(address.host);
  try {
    return await statusOn(once, address.path);
  } finally {
    once.close();
  }
}

async function statusOn(host: Host, path: string): Promise<BackupStatus | undefined> {
  return read(await host.run("reading the status of backups", `cat ${quote(path)} 2>/dev/null || true`));
}

async function statusIn(pod: ProgramPod, path: string): Promise<BackupStatus | undefined> {
  const { readPodFile } = await import("../kube/pod-file.ts");
  return read((await readPodFile(pod, path)) ?? "");
}

const read = (text: string): BackupStatus | undefined => parseStatus(jsonOf(text));
