import type { HostAddress } from "./address.ts";
import { Host } from "./host.ts";

const hosts = new Map<string, Host>();

/** The host at an address: one object, with one connection, for everything this program does on it. */
export function hostAt(address: HostAddress): Host {
  const key = JSON.stringify(address);
  const host = hosts.get(key) ?? new Host(address);
  hosts.set(key, host);
  return host;
}

/** Ends every connection. Called by tests only: an idle connection does not keep a program running. */
export function closeHosts(): void {
  for (const host of hosts.values()) host.close();
  hosts.clear();
}
