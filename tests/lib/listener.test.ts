import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { ephemeralPorts, isFree, listenerIn, listenerOn } from "../../lib/listener.ts";

const port = 31625;
let server: Server | undefined;
afterEach(() => new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve))));

function listen(address: string): Promise<void> {
  server = createServer();
  return new Promise((resolve) => server!.listen(port, address, resolve));
}

it("a port nobody listens on is free", async () => {
  expect(await isFree("127.0.0.1", port)).toBe(true);
});

it.each(["127.0.0.1", "0.0.0.0", "::", "::ffff:127.0.0.1"])(
  "a port that somebody has on %s is not free, and its owner is named",
  async (address) => {
    await listen(address);
    expect(await isFree("127.0.0.1", port)).toBe(false);
    const command = readFileSync("/proc/self/comm", "utf8").trim();
    expect(listenerOn("127.0.0.1", port)).toEqual({ pid: process.pid, description: `${command} (pid ${process.pid})` });
  },
);

it("a port that a connection goes out from is not free, and the connection is named", async () => {
  await listen("127.0.0.1");
  const socket = connect(port, "127.0.0.1");
  try {
    await new Promise<void>((resolve) => socket.once("connect", resolve));
    const command = readFileSync("/proc/self/comm", "utf8").trim();
    expect(await isFree("127.0.0.1", socket.localPort!)).toBe(false);
    expect(listenerOn("127.0.0.1", socket.localPort!)).toEqual({
      pid: process.pid,
      connection: true,
      description: `a connection of ${command} (pid ${process.pid})`,
    });
  } finally {
    socket.destroy();
  }
});

it("the ports of outgoing connections are as the system says", () => {
  const [first, last] = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").trim().split(/\s+/);
  expect(ephemeralPorts()).toEqual({ first: Number(first), last: Number(last) });
});

it("the same port on another address is free", async () => {
  await listen("127.0.0.3");
  expect(await isFree("127.0.0.1", port)).toBe(true);
});

it("of several that have the same port, the one on this address is named, as with two stacks on addresses of their own", async () => {
  await listen("127.0.0.3");
  const program = `require("net").createServer().listen(${port}, "127.0.0.2", () => console.log("listening"))`;
  const other = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    await once(other.stdout, "data");
    expect(listenerOn("127.0.0.2", port).pid).toBe(other.pid);
    expect(listenerOn("127.0.0.3", port).pid).toBe(process.pid);
    expect(listenerOn("127.0.0.4", port)).toEqual({ description: "a process that cannot be seen from here" });
  } finally {
    other.kill();
    await once(other, "exit");
  }
});

it.each([
  ["127.0.0.2", 513],
  ["127.0.0.3", 512],
  ["127.0.0.4", 514],
])("of what lsof says, the one on %s is named, or else who listens on every address", (address, pid) => {
  const fields = [
    ...["p512", "cetcd", "f7", `n127.0.0.3:${port}`],
    ...["p513", "cnginx", "f5", `n10.0.0.1:${port}`, "f6", `n127.0.0.2:${port}`],
    ...["p514", "chaproxy", "f4", `n*:${port}`, ""],
  ];
  const command = { 512: "etcd", 513: "nginx", 514: "haproxy" }[pid];
  expect(listenerIn(fields.join("\n"), address, port)).toEqual({ pid, description: `${command} (pid ${pid})` });
  expect(listenerIn("", address, port)).toBeUndefined();
});

it("an address that is not of this machine is an error", async () => {
  await expect(isFree("192.0.2.1", port)).rejects.toThrow("EADDRNOTAVAIL");
});

it("a port without an owner that can be seen has a description all the same", () => {
  expect(listenerOn("127.0.0.1", port)).toEqual({ description: "a process that cannot be seen from here" });
});
