import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { isFree, listenerOn } from "../../lib/listener.ts";

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

it.each(["127.0.0.1", "0.0.0.0", "::"])(
  "a port that somebody has on %s is not free, and its owner is named",
  async (address) => {
    await listen(address);
    expect(await isFree("127.0.0.1", port)).toBe(false);
    const command = readFileSync("/proc/self/comm", "utf8").trim();
    expect(listenerOn(port)).toEqual({ pid: process.pid, description: `${command} (pid ${process.pid})` });
  },
);

it("the same port on another address is free", async () => {
  await listen("127.0.0.3");
  expect(await isFree("127.0.0.1", port)).toBe(true);
});

it("an address that is not of this machine is an error", async () => {
  await expect(isFree("192.0.2.1", port)).rejects.toThrow("EADDRNOTAVAIL");
});

it("a port without an owner that can be seen has a description all the same", () => {
  expect(listenerOn(port)).toEqual({ description: "a process that cannot be seen from here" });
});
