import type { HostAddress } from "../hosts/address.ts";
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
  // What logs in takes a tenth of a second to load, which a deployment on this machine need not pay.
  const { hostAt } = await import("../hosts/hosts.ts");
  const text = await hostAt(host).run("reading the status of backups", `cat ${path} 2>/dev/null || true`);
  try {
    return parseStatus(JSON.parse(text));
  } catch {
    return undefined;
  }
}
