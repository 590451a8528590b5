/** What an API server answers by pages, written anew, against one that is played. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connectAlone, type KubeClient } from "../../../lib/kube/client.ts";
import { writeAnew } from "../../../lib/kube/rewrite.ts";
import { deadlineIn, type Deadline } from "../../../lib/wait.ts";

/** By what is asked for: a status and a body. */
const pages: Record<string, [status: number, body: object]> = {};
const written: string[] = [];
/** How many further calls find a server that has no time. */
let busy = 0;
let server: Server;
let client: KubeClient;

beforeAll(async () => {
  server = createServer((request, response) => {
    const url = new URL(request.url!, "http://127.0.0.1");
    // Every other call, so that each kind of call meets it.
    if (busy > 0 && busy-- % 2 === 0) return void response.writeHead(503).end("{}");
    if (request.method === "PUT") written.push(url.pathname.split("/").at(-1)!);
    const [status, body] =
      request.method === "PUT"
        ? [200, {}]
        : url.pathname === "/api/v1"
          ? [200, { resources: [{ name: "secrets", kind: "Secret" }] }]
          : pages[url.searchParams.get("continue") ?? ""]!;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const named = { name: "a" };
  client = await connectAlone(
    JSON.stringify({
      ...{ apiVersion: "v1", kind: "Config", "current-context": "a" },
      clusters: [{ ...named, cluster: { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } }],
      contexts: [{ ...named, context: { cluster: "a", user: "a" } }],
      users: [{ ...named, user: { token: "t" } }],
    }),
  );
});
afterAll(() => {
  client.close();
  server.close();
});

const page = (names: string[], next?: string): [number, object] => [
  200,
  {
    items: names.map((name) => ({ metadata: { name, namespace: "default" } })),
    metadata: { ...(next !== undefined && { continue: next }) },
  },
];
const expired = (next: string): [number, object] => [
  410,
  { kind: "Status", message: "too old", reason: "Expired", metadata: { continue: next } },
];

test("a server that has no time now and then, as one that only just started, is asked again for each thing", async () => {
  Object.assign(pages, { "": page(["one", "two"]) });
  written.length = 0;
  busy = 8;
  expect(await writeAnew(client, "secrets", deadlineIn(30))).toBe(2);
  expect(written.splice(0).sort()).toEqual(["one", "two"]);
  expect(busy).toBeLessThan(4);
});

test("a list that takes longer than etcd keeps what it began with is gone on with where it was", async () => {
  Object.assign(pages, { "": page(["a", "b"], "of-then"), "of-then": expired("of-now"), "of-now": page(["c"]) });
  expect(await writeAnew(client, "secrets", deadlineIn(10))).toBe(3);
  expect(written.splice(0).sort()).toEqual(["a", "b", "c"]);
});

test("what has no end in its time says how far it is, and one that ends with it is whole", async () => {
  Object.assign(pages, { "": page(["a", "b"], "more"), more: page(["c"]) });
  const left = [1, 0, 0];
  const deadline: Deadline = { ...deadlineIn(7), left: () => left.shift()! };
  await expect(writeAnew(client, "secrets", deadline)).rejects.toThrow(
    "secrets: 2 were written anew in 7 s, and there are more; run up again",
  );
  Object.assign(pages, { "": page(["a"]) });
  left.splice(0, 3, 1, 0);
  expect(await writeAnew(client, "secrets", deadline)).toBe(1);
});
