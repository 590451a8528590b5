/** Logins at what listens at a host's port and is no SSH server. */
import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { dial } from "../../../lib/hosts/dial.ts";
import { deadlineIn } from "../../../lib/wait.ts";

const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close()));

/** What comes of a login there, once all that it leaves behind has come to its end. */
async function said(serve: (socket: Socket) => void): Promise<{ port: number; message: string }> {
  const server = createServer((socket) => serve(socket.on("error", () => undefined)));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const hostKey = "SHA256:5bXhJr5K0Wtq0PaqVsNbdyhmPLLYPTTaHhNbqKmWHtM";
  const login = {
    kind: "ssh",
    name: "host1",
    address: "127.0.0.1",
    port,
    user: "root",
    password: "p",
    hostKey,
  } as const;
  const error = await dial(login, deadlineIn(1)).then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  await sleep(200);
  return { port, message: error!.message };
}

test("one that says nothing is given up when its time is over, and ends nothing else with it", async () => {
  const { port, message } = await said(() => undefined);
  expect(message).toBe(`no answer from 127.0.0.1:${port}`);
});

test("so is one that cuts the connection, or closes it", async () => {
  expect((await said((socket) => void setTimeout(() => socket.resetAndDestroy(), 50))).message).toBe("read ECONNRESET");
  expect((await said((socket) => void setTimeout(() => socket.end(), 50))).message).toBe(
    "Connection lost before handshake",
  );
});
