import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import https from "node:https";
import { createRequire } from "node:module";
import { connect, type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { parseKubeconfig } from "../../../lib/kube/kubeconfig.ts";
import { type PodPort, withPodPort } from "../../../lib/kube/port-forward.ts";
import { deadlineIn, Pending, waitFor } from "../../../lib/wait.ts";
import { createAuthority, type Authority } from "../../support/certificates.ts";
import { kubeconfigOf } from "../../support/cluster.ts";
import { type LoginProgram, loginProgram } from "../../support/login-program.ts";

/** What the library speaks, from the other side; it has no types of its own. */
interface Peer {
  on(event: "message", listener: (data: Buffer) => void): void;
  send(data: Buffer): void;
  close(): void;
}
const { WebSocketServer } = createRequire(import.meta.url)("ws") as {
  WebSocketServer: new (options: object) => {
    on(event: "connection", to: (peer: Peer, request: { url: string }) => void): void;
  };
};

let authority: Authority;
const servers: https.Server[] = [];
beforeAll(async () => {
  authority = await createAuthority("one");
});
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const frame = (channel: number, data: Buffer | string) => Buffer.concat([Buffer.from([channel]), Buffer.from(data)]);

/** An API server that forwards as told, in the frames of `v4.channel.k8s.io`: each channel begins with the port. */
async function podOf(
  serve: (peer: Peer, url: URL) => void,
  refusal: (authorization?: string) => number | Promise<number> = () => 0,
) {
  const leaf = await authority.issue({ commonName: "server", hosts: ["127.0.0.1"] });
  const server = https.createServer({ cert: leaf.certificate, key: leaf.key });
  servers.push(server);
  const verifyClient = ({ req }: { req: IncomingMessage }, done: (isLet: boolean, status: number) => void) => {
    void Promise.resolve(refusal(req.headers.authorization)).then((status) => done(status === 0, status));
  };
  const sockets = new WebSocketServer({ server, handleProtocols: () => "v4.channel.k8s.io", verifyClient });
  sockets.on("connection", (peer, { url }) => {
    for (const channel of [0, 1]) peer.send(frame(channel, Buffer.from([0x4b, 0x09])));
    serve(peer, new URL(url, "https://server"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const user = await authority.issue({ commonName: "user" });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { kubeconfig: kubeconfigOf(url, authority.certificate, user), namespace: "fleet", pod: "etcd-0", port: 2379 };
}

/** Sends what is given and reads as many bytes. */
function exchanged(port: number, sent: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect(port, "127.0.0.1");
    socket.on("data", (chunk) => {
      received.push(chunk);
      if (Buffer.concat(received).length >= sent.length) socket.destroy();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(received)));
    socket.write(sent);
  });
}

test("connections lead to the port of the pod, each on its own, whatever their size", async () => {
  const asked: string[] = [];
  const pod = await podOf((peer, url) => {
    asked.push(`${url.pathname}${url.search}`);
    peer.on("message", (data) => peer.send(frame(0, data.subarray(1))));
  });
  const sent = [randomBytes(3_000_000), Buffer.from("short")];
  const received = await withPodPort(pod, (port) => Promise.all(sent.map((each) => exchanged(port, each))));
  expect(received.map((each, i) => each.equals(sent[i]!))).toEqual([true, true]);
  expect(asked).toEqual(Array(2).fill("/api/v1/namespaces/fleet/pods/etcd-0/portforward?ports=2379"));
});

test("a port where nothing listens, and a way that is not allowed, are said", async () => {
  const failing = async (pod: Awaited<ReturnType<typeof podOf>>) =>
    withPodPort(pod, async (port) => {
      const { length } = await exchanged(port, Buffer.from("hello")).catch(() => Buffer.alloc(0));
      if (length === 0) throw new Error("no answer");
    });
  const closed = await podOf((peer) => {
    peer.send(frame(1, "connection refused"));
    peer.close();
  });
  await expect(failing(closed)).rejects.toThrow(
    "fleet/etcd-0: the way to its port 2379 broke off: connection refused: no answer",
  );
  await expect(
    failing(
      await podOf(
        () => undefined,
        () => 403,
      ),
    ),
  ).rejects.toThrow("fleet/etcd-0: the way to its port 2379 broke off: Unexpected server response: 403: no answer");
});

test("a way that opens too late, or never, leaves no connection to the API server, which a command would wait for", async () => {
  const opening = Promise.withResolvers<number>();
  const givenUp = async (pod: PodPort, seconds?: number) => {
    const connected = async (port: number) => {
      const socket = connect(port, "127.0.0.1");
      while ((await connectionsOf(servers.at(-1)!)) === 0) await sleep(5);
      socket.destroy();
      throw new Error("no answer in time");
    };
    await expect(withPodPort(pod, connected, seconds)).rejects.toThrow("no answer in time");
    opening.resolve(0);
    await waitFor("the connection to be gone", deadlineIn(5), async () =>
      (await connectionsOf(servers.at(-1)!)) === 0 ? undefined : new Pending("it is there"),
    );
  };
  await givenUp(
    await podOf(
      () => undefined,
      () => opening.promise,
    ),
  );
  const never = new Promise<number>(() => undefined);
  await givenUp(
    await podOf(
      () => undefined,
      () => never,
    ),
    0.5,
  );
});

const connectionsOf = (server: https.Server) => promisify(server.getConnections.bind(server))();

test("connections share the login of a program", async () => {
  const pod = await podOf((peer) => peer.on("message", (data) => peer.send(frame(0, data.subarray(1)))));
  const program = loginProgram();
  program.give({ token: "any" });
  const sent = ["one", "two"].map((each) => Buffer.from(each));
  const received = await withPodPort(loggingIn(pod, program), (port) =>
    Promise.all(sent.map((each) => exchanged(port, each))),
  );
  expect([received.map(String), program.runs()]).toEqual([["one", "two"], 1]);
  program.remove();
});

test("a login that the server takes no more is made anew once for a way", async () => {
  let known = "one";
  const echo = (peer: Peer) => peer.on("message", (data) => peer.send(frame(0, data.subarray(1))));
  const pod = await podOf(echo, (authorization) => (authorization === `Bearer ${known}` ? 0 : 401));
  const program = loginProgram();
  program.give({ token: "one" });
  const word = Buffer.from("word");
  await withPodPort(loggingIn(pod, program), async (port) => {
    expect(String(await exchanged(port, word))).toBe("word");
    program.give({ token: "two" });
    known = "two";
    expect(String(await exchanged(port, word))).toBe("word");
    known = "three";
    await exchanged(port, word).catch(() => undefined);
  });
  expect(program.runs()).toBe(3);
  program.remove();
});

test("a program that logs in and wants an answer gets none, and is told of at once", async () => {
  const pod = await podOf(() => undefined);
  const program = loginProgram();
  program.give("asking");
  await expect(withPodPort(loggingIn(pod, program), (port) => exchanged(port, Buffer.from("hello")))).rejects.toThrow(
    /: cannot log in by sh, as its kubeconfig says: it ended with exit code 4$/,
  );
  program.remove();
});

const loggingIn = (pod: PodPort, program: LoginProgram): PodPort => ({
  ...pod,
  kubeconfig: program.kubeconfig(parseKubeconfig(pod.kubeconfig).server, authority.certificate),
});
