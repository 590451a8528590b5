import type { HostAddress } from "./address.ts";
import { Host } from "./host.ts";

const hosts = new Map<string, Host>();

/** How this run's program logs in to hosts, by their addresses. */
const logins = new Map<string, HostAddress>();

/**
 * The host at an address: one object, with one connection, for everything this program does on it. An address from the
 * state of an earlier run may hold a key that has been replaced since: the login of this run's program goes before.
 */
export function hostAt(address: HostAddress): Host {
  const login = loginTo(address);
  const key = JSON.stringify(login);
  const host = hosts.get(key) ?? new Host(login);
  hosts.set(key, host);
  return host;
}

/** Has {@link hostAt} log in to a host as this run's program does. */
export function noteLogin(login: HostAddress): void {
  logins.set(login.address, login);
}

/** Where it shows the same host key, it is the same machine, whoever logs in. */
function loginTo(address: HostAddress): HostAddress {
  const login = logins.get(address.address);
  const isSame = login?.kind === "ssh" && address.kind === "ssh" && login.hostKey === address.hostKey;
  return isSame ? login : address;
}

/** Ends every connection. Called by tests only: an idle connection does not keep a program running. */
export function closeHosts(): void {
  for (const host of hosts.values()) host.close();
  hosts.clear();
  logins.clear();
}
