import { createHash, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execIn } from "../../../lib/kube/exec.ts";
import { createAuthority, type Authority } from "../../support/certificates.ts";
import { kubeconfigOf } from "../../support/cluster.ts";
import { sha256 } from "../../../lib/sha256.ts";

/** What the library speaks, from the other side; it has no types of its own. */
interface Peer {
  on(event: "message", listener: (data: Buffer) => void): void;
  send(data: Buffer): void;
  close(): void;
}
const { WebSocketServer } = createRequire(import.meta.url)("ws") as {
  WebSocketServer: new (options: object) => { on(event: "connection", to: (peer: Peer, request: Asked) => void): void };
};
interface Asked {
  readonly url: string;
}

/** An API server that answers an exec as told, in the frames of `v4.channel.k8s.io`. */
let authority: Authority;
let directory: string;
const servers: https.Server[] = [];
beforeAll(async () => {
  authority = await createAuthority("one");
  directory = mkdtempSync(join(tmpdir(), "exec-"));
});
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(directory, { recursive: true });
});

const frame = (channel: number, data: Buffer | string) => Buffer.concat([Buffer.from([channel]), Buffer.from(data)]);
const ended = (status: object) => frame(3, JSON.stringify(status));

async function podOf(serve: (peer: Peer, url: URL) => void) {
  const leaf = await authority.issue({ commonName: "server", hosts: ["127.0.0.1"] });
  const server = https.createServer({ cert: leaf.certificate, key: leaf.key });
  servers.push(server);
  const sockets = new WebSocketServer({ server, handleProtocols: () => "v4.channel.k8s.io" });
  sockets.on("connection", (peer, { url }) => serve(peer, new URL(url, "https://server")));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const user = await authority.issue({ commonName: "user" });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kubeconfig = kubeconfigOf(url, authority.certificate, user);
  return { kubeconfig, namespace: "fleet", pod: "etcd-0-files", container: "files" };
}

test("a command gets all of its input, in order, and is asked for in its container", async () => {
  const content = randomBytes(3_000_000);
  writeFileSync(join(directory, "in"), content);
  const hash = createHash("sha256");
  let asked: URL | undefined;
  const pod = await podOf((peer, url) => {
    asked = url;
    let got = 0;
    peer.on("message", (data) => {
      expect(data[0]).toBe(0);
      hash.update(data.subarray(1));
      got += data.length - 1;
      if (got === content.length) peer.send(ended({ status: "Success" }));
    });
  });
  const input = createReadStream(join(directory, "in")) as AsyncIterable<Buffer>;
  await execIn(pod, ["node", "-e", "a b"], { input, seconds: 20 });
  expect(hash.digest("hex")).toBe(sha256(content));
  expect(asked?.pathname).toBe("/api/v1/namespaces/fleet/pods/etcd-0-files/exec");
  expect(asked?.searchParams.getAll("command")).toEqual(["node", "-e", "a b"]);
  expect([asked?.searchParams.get("container"), asked?.searchParams.get("stdin")]).toEqual(["files", "true"]);
}, 30_000);

test("all that a command writes is there once it has ended, however slowly it is taken", async () => {
  const content = randomBytes(2_000_000);
  const pod = await podOf((peer) => {
    for (let at = 0; at < content.length; at += 50_000) peer.send(frame(1, content.subarray(at, at + 50_000)));
    peer.send(ended({ status: "Success" }));
  });
  const output = createWriteStream(join(directory, "out"), { highWaterMark: 1000 });
  await execIn(pod, ["send"], { output, seconds: 20 });
  expect(readFileSync(join(directory, "out")).equals(content)).toBe(true);
}, 30_000);

test("a command that fails is told of with its last words, one that is cut off or takes too long by what happened", async () => {
  const failing = await podOf((peer) => {
    peer.send(frame(2, "no room\n"));
    peer.send(ended({ status: "Failure", message: "command terminated with exit code 1" }));
  });
  await expect(execIn(failing, ["receive"], { seconds: 20 })).rejects.toThrow(
    "fleet/etcd-0-files: files: command terminated with exit code 1: no room",
  );
  const cut = await podOf((peer) => peer.close());
  await expect(execIn(cut, ["receive"], { seconds: 20 })).rejects.toThrow(
    "the connection was closed before the command had ended",
  );
  const silent = await podOf(() => {});
  await expect(execIn(silent, ["receive"], { seconds: 0.3 })).rejects.toThrow("it took longer than 0.3 s");
}, 30_000);

test("an API server that never answers is left in time", async () => {
  const pod = await podOf(() => {});
  const server = servers.at(-1)!;
  server.removeAllListeners("upgrade");
  server.on("upgrade", () => {});
  await expect(execIn(pod, ["receive"], { seconds: 0.5 })).rejects.toThrow("it took longer than 0.5 s");
}, 10_000);

test("who may not do it is told so", async () => {
  const pod = await podOf(() => {});
  const server = servers.at(-1)!;
  server.removeAllListeners("upgrade");
  server.on("upgrade", (_, socket) => socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"));
  await expect(execIn(pod, ["receive"], { seconds: 20 })).rejects.toThrow(/fleet\/etcd-0-files: files: .*403/);
}, 30_000);
