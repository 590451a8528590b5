import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";

/** Who has a TCP port, as far as this user may know. */
export interface Listener {
  readonly pid?: number;
  /** It does not listen: the system gave the port to a connection of its. */
  readonly connection?: true;
  /** For instance `nginx (pid 512)`, or `a process of the user with id 0`. */
  readonly description: string;
}

/** Whether a program could listen on this address and port now: it is tried, for less than a millisecond. */
export function isFree(address: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(false) : reject(error),
    );
    server.listen({ host: address, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** The ports that the system gives to outgoing connections: who wants to listen on one may find it taken. */
export function ephemeralPorts(): { readonly first: number; readonly last: number } | undefined {
  const [first, last] = readText("/proc/sys/net/ipv4/ip_local_port_range").trim().split(/\s+/).map(Number);
  return first === undefined || last === undefined ? undefined : { first, last };
}

/** Finds out who has a port that is not free on this address (IPv4). On another one it may be somebody else's. */
export function listenerOn(address: string, port: number): Listener {
  return process.platform === "linux" ? listenerOnLinux(address, port) : listenerByLsof(address, port);
}

/** proc_net_tcp(5): the socket's inode and owner; the process is the one that has this inode open. */
function listenerOnLinux(address: string, port: number): Listener {
  const all = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap(socketsIn).filter((socket) => socket.port === port);
  const sockets = inTheWayOn(address).flatMap((one) => all.filter((socket) => socket.address === one));
  const socket = sockets.find(({ state }) => state === listening) ?? sockets[0];
  if (socket === undefined) return { description: "a process that cannot be seen from here" };
  const connection = socket.state !== listening;
  const pid = pidWithSocket(socket.inode);
  const owner = pid === undefined ? `a process of the user with id ${socket.user}` : `${commandOf(pid)} (pid ${pid})`;
  return {
    ...(pid !== undefined && { pid }),
    ...(connection && { connection }),
    description: connection ? `a connection of ${owner}` : owner,
  };
}

/** Addresses as the tables have them: this one, the same as IPv6, and all of IPv4 and of IPv6. */
function inTheWayOn(address: string): readonly string[] {
  const four = word(...address.split(".").map(Number));
  return [four, `${word().repeat(2)}${word(0, 0, 255, 255)}${four}`, word(), word().repeat(4)];
}

/** Four bytes of an address as one number of this machine. */
const word = (...bytes: number[]): string =>
  new Uint32Array(Uint8Array.from({ ...bytes, length: 4 }).buffer)[0]!.toString(16).toUpperCase().padStart(8, "0");

const commandOf = (pid: number): string => readText(`/proc/${pid}/comm`).trim();

const listening = "0A";

function socketsIn(table: string): { address: string; port: number; state: string; user: string; inode: string }[] {
  return readText(table)
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields.length > 9)
    .map((fields) => ({
      address: fields[1]!.split(":")[0]!,
      port: parseInt(fields[1]!.split(":")[1]!, 16),
      state: fields[3]!,
      user: fields[7]!,
      inode: fields[9]!,
    }));
}

function pidWithSocket(inode: string): number | undefined {
  const pids = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry));
  const found = pids.find((pid) =>
    descriptors(pid).some((descriptor) => link(`/proc/${pid}/fd/${descriptor}`) === `socket:[${inode}]`),
  );
  return found === undefined ? undefined : Number(found);
}

function descriptors(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    return [];
  }
}

function link(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function listenerByLsof(address: string, port: number): Listener {
  let fields = "";
  try {
    fields = execFileSync("lsof", ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-Fpcn"], { encoding: "utf8" });
  } catch {
    // It answers 1 when it sees nothing.
  }
  return listenerIn(fields, address, port) ?? { description: "a process that cannot be seen from here" };
}

/**
 * From the fields `p<pid>`, `c<command>` and `n<address>:<port>` of lsof(8), which darwin brings along. Asked for an address, it
 * leaves out who listens on every one, which it calls `*`.
 */
export function listenerIn(fields: string, address: string, port: number): Listener | undefined {
  const found: Record<string, Listener> = {};
  let [pid, command] = [0, ""];
  for (const line of fields.split("\n")) {
    if (line.startsWith("p")) pid = Number(line.slice(1));
    if (line.startsWith("c")) command = line.slice(1);
    if (line.startsWith("n")) found[line.slice(1)] = { pid, description: `${command} (pid ${pid})` };
  }
  return found[`${address}:${port}`] ?? found[`*:${port}`];
}
