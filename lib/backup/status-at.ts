import type { HostAddress } from "../hosts/address.ts";
import type { Host } from "../hosts/host.ts";
import { quote } from "../hosts/quote.ts";
import { parseStatus, readStatus, type BackupStatus } from "./status.ts";

/** Where the status of backups is. */
export interface StatusAddress {
  readonly path: string;
  /** @default this machine */
  readonly host?: HostAddress;
}

/** @returns undefined when there is no such file, or none that can be read as one */
export async function statusAt({ path, host }: StatusAddress): Promise<BackupStatus | undefined> {
  if (host === undefined) return readStatus(path);
  const { hostAt } = await import("../hosts/hosts.ts");
  return statusOn(hostAt(host), path);
}

/** The same with a login of its own, which ends with it: for a program that is not to wait for it. */
export async function statusOnce({ path, host }: Required<StatusAddress>): Promise<BackupStatus | undefined> {
  // What logs in takes a tenth of a second to load, which a deployment on this machine need not pay.
  const { Host } = await import("../hosts/host.ts");
  const once = new Host(host);
  try {
    return await statusOn(once, path);
  } finally {
    once.close();
  }
}

async function statusOn(host: Host, path: string): Promise<BackupStatus | undefined> {
  const text = await host.run("reading the status of backups", `cat ${quote(path)} 2>/dev/null || true`);
  try {
    return parseStatus(JSON.parse(text));
  } catch {
    return undefined;
  }
}
