/** Logins at what listens at a host's port and is no SSH server. */
import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "ssh2";
import { dial, forward } from "../../../lib/hosts/dial.ts";
import { type Deadline, deadlineIn } from "../../../lib/wait.ts";

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

test("what a jump host opens at the very end of the time is an answer, and what it opens later is closed", async () => {
  const stream = new PassThrough();
  /** A double of a login: no real one answers at a moment of the test's choice. */
  const opening = (after: number) =>
    ({
      forwardOut: (...[, , , , done]: Parameters<Client["forwardOut"]>) =>
        setTimeout(() => done?.(undefined, stream as never), after),
    }) as unknown as Client;
  // Its time is over when the answer is looked at, on a process that was busy until then.
  let asked = 0;
  const deadline: Deadline = { ...deadlineIn(1), left: () => (asked++ === 0 ? 1000 : 0) };
  expect(await forward(opening(10), "10.0.0.1", 22, deadline)).toBe(stream);
  await expect(forward(opening(300), "10.0.0.1", 22, deadlineIn(0.1))).rejects.toThrow("no answer from 10.0.0.1:22");
  await sleep(400);
  expect(stream.destroyed).toBe(true);
});
