import { readFile } from "node:fs/promises";
import type http from "node:http";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { KubeConfig } from "@kubernetes/client-node";
import { connect } from "../../../lib/kube/client.ts";
import { isTransient, KubeError, UnreachableError } from "../../../lib/kube/error.ts";
import { parseKubeconfig } from "../../../lib/kube/kubeconfig.ts";
import { logIn } from "../../../lib/kube/login.ts";
import { deadlineIn, Pending, waitFor } from "../../../lib/wait.ts";
import { createAuthority, type Authority } from "../../support/certificates.ts";
import { kubeconfigOf } from "../../support/cluster.ts";

/** A server that answers as told, with a real certificate. */
async function startServer(
  authority: Authority,
  listener: http.RequestListener,
  hosts = ["127.0.0.1"],
  expired = false,
) {
  const leaf = await authority.issue({ commonName: "server", hosts, expired });
  const server = https.createServer({ cert: leaf.certificate, key: leaf.key }, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const loggingInBy = (command: string, args: readonly string[]) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "a",
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    clusters: [{ name: "a", cluster: { server: "https://10.0.0.7" } }],
    users: [{ name: "a", user: { exec: { apiVersion: "client.authentication.k8s.io/v1", command, args: [...args] } } }],
  });

describe("a server's answers", () => {
  let authority: Authority;
  const servers: https.Server[] = [];
  const clientFor = async (
    listener: http.RequestListener,
    options: { hosts?: string[]; expired?: boolean; ca?: string } = {},
  ) => {
    const { server, url } = await startServer(authority, listener, options.hosts, options.expired);
    servers.push(server);
    const user = await authority.issue({ commonName: "user" });
    return connect(kubeconfigOf(url, options.ca ?? authority.certificate, user));
  };
  beforeAll(async () => {
    authority = await createAuthority("one");
  });
  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });
  const failure = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (error: unknown) => error as Error,
    );

  test("JSON is parsed, other text is given as it is", async () => {
    const client = await clientFor((request, response) => {
      if (request.url === "/readyz") response.end("ok");
      else response.setHeader("content-type", "application/json").end('{"kind":"Namespace"}');
    });
    expect(await client.get("/api/v1/namespaces/a")).toEqual({ kind: "Namespace" });
    expect(await client.request("GET", "/readyz")).toBe("ok");
  });

  test("a server that says when to ask again is asked again then, as long as the call has time", async () => {
    let asked = 0;
    const client = await clientFor((request, response) => {
      if (request.url === "/soon" && ++asked === 2) return response.end("ok");
      response.writeHead(429, { "retry-after": request.url === "/soon" ? "1" : "60" });
      response.end("storage is (re)initializing");
    });
    const started = performance.now();
    expect(await client.request("GET", "/soon")).toBe("ok");
    expect(performance.now() - started).toBeGreaterThan(990);
    const refused = await failure(client.request("GET", "/late"));
    expect(refused).toMatchObject({ status: 429, message: "GET /late: 429 storage is (re)initializing" });
  });

  test("a refusal carries Kubernetes' own reason, and what is not there is undefined", async () => {
    const client = await clientFor((_, response) => {
      response.writeHead(404, { "content-type": "application/json" });
      response.end('{"kind":"Status","reason":"NotFound","message":"pods \\"a\\" not found"}');
    });
    const error = await failure(client.get("/api/v1/pods/a"));
    expect(error).toBeInstanceOf(KubeError);
    expect(error).toMatchObject({
      status: 404,
      reason: "NotFound",
      message: 'GET /api/v1/pods/a: 404 pods "a" not found',
    });
    expect(await client.find("/api/v1/pods/a")).toBeUndefined();
    await client.delete("/api/v1/pods/a");
  });

  test("an answer from something that is no API server is quoted in one line", async () => {
    const client = await clientFor((_, response) => response.writeHead(502).end("<html>\nbad gateway</html>"));
    const error = await failure(client.get("/x"));
    expect(error?.message).toBe("GET /x: 502 <html>");
    expect(isTransient(error)).toBe(true);
  });

  test("a refusal that is cut is no answer, and may come whole later", async () => {
    const client = await clientFor((_, response) => {
      response.writeHead(500, { "content-length": "100" });
      response.write("rpc error", () => response.destroy());
    });
    const error = await failure(client.create("/x", {}));
    expect(error?.message).toBe(`${client.server}: the connection was cut`);
    expect(isTransient(error)).toBe(true);
  });

  test.each(["GET", "POST", "PUT", "PATCH", "DELETE"])(
    "a connection that the server closed while it was idle is not an error for a %s, which comes once",
    async (method) => {
      const came: string[] = [];
      const client = await clientFor((request, response) => {
        came.push(`${request.method} ${request.url}`);
        response.end("ok");
      });
      const connections: Socket[] = [];
      servers.at(-1)!.on("connection", (socket: Socket) => connections.push(socket));
      await client.request("GET", "/first");
      for (const connection of connections) connection.destroy();
      // In the same turn, so that Node has not heard of it when it takes that connection.
      expect(await client.request(method, "/second", { ...(method !== "GET" && { body: {} }) })).toBe("ok");
      expect(came).toEqual(["GET /first", `${method} /second`]);
    },
  );

  test("what a server has taken when it is killed is sent again only where twice comes to the same", async () => {
    const came: string[] = [];
    const client = await clientFor((request, response) => {
      request.resume().once("end", () => {
        const kind = request.headers["content-type"] ?? "";
        if (came.push(`${request.method} ${kind}`.trim()) === 2) request.socket.destroy();
        else response.end("ok");
      });
    });
    const cameBy = async (call: () => Promise<unknown>) => {
      came.length = 0;
      await client.request("GET", "/first");
      const error = await failure(call());
      return [error?.message ?? "ok", ...came.slice(1)];
    };
    const cut = `${client.server}: the connection was cut`;
    expect(await cameBy(() => client.request("GET", "/second"))).toEqual(["ok", "GET", "GET"]);
    const applied = "PATCH application/apply-patch+yaml";
    expect(await cameBy(() => client.apply("/second", {}))).toEqual(["ok", applied, applied]);
    expect(await cameBy(() => client.create("/second", {}))).toEqual([cut, "POST application/json"]);
    expect(await cameBy(() => client.replace("/second", {}))).toEqual([cut, "PUT application/json"]);
    expect(await cameBy(() => client.merge("/second", {}))).toEqual([cut, "PATCH application/merge-patch+json"]);
    expect(await cameBy(() => client.delete("/second"))).toEqual([cut, "DELETE"]);
  });

  test("a question whose connection is cut is asked again a second later, a write is not", async () => {
    const cutting = () => {
      let asked = 0;
      return clientFor((request, response) => {
        if (++asked === 1) request.socket.destroy();
        else response.end("ok");
      });
    };
    const started = performance.now();
    expect(await (await cutting()).request("GET", "/readyz")).toBe("ok");
    expect(performance.now() - started).toBeGreaterThan(990);
    const cut = await failure((await cutting()).create("/api/v1/namespaces", {}));
    expect(cut?.message).toMatch(/: the connection was cut$/);
  });

  test("a question whose answer is cut in the middle is asked again as long as the call has time, a write is not", async () => {
    let asked = 0;
    const client = await clientFor((request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "17" });
      if (++asked === 2 || request.url === "/always") response.write('{"items"', () => response.destroy());
      else response.end('{"items":["one"]}');
    });
    expect(await client.get("/once")).toEqual({ items: ["one"] });
    expect(await client.get("/once")).toEqual({ items: ["one"] });
    expect(asked).toBe(3);
    const given = await failure(client.get("/always", { timeout: 1500 }));
    expect([given?.message, asked]).toEqual([`${client.server}: the connection was cut`, 5]);
    const written = await failure(client.create("/always", {}));
    expect([written?.message, asked]).toEqual([`${client.server}: the connection was cut`, 6]);
  });

  test("a write whose connection is cut before it could be sent is sent by another one", async () => {
    const client = await clientFor((_, response) => response.end("ok"));
    servers.at(-1)!.once("connection", (socket: Socket) => socket.destroy());
    expect(await client.create("/api/v1/namespaces", {})).toBe("ok");
  });

  test("a server that cuts every connection is given up when the call has no time left", async () => {
    let asked = 0;
    const client = await clientFor((request) => {
      asked++;
      request.socket.destroy();
    });
    const cut = await failure(client.get("/readyz", { timeout: 1500 }));
    expect(cut?.message).toMatch(/: the connection was cut$/);
    expect(asked).toBe(2);
  });

  test("no answer in time", async () => {
    const client = await clientFor(() => {});
    const error = await failure(client.get("/x", { timeout: 50 }));
    expect(error?.message).toBe(`${client.server}: no answer in time`);
    expect(isTransient(error)).toBe(true);
  });

  test("a server of another authority is not trusted, and trying again is useless", async () => {
    const other = await createAuthority("other");
    const client = await clientFor((_, response) => response.end(), { ca: other.certificate });
    const error = await failure(client.get("/x"));
    expect(error).toBeInstanceOf(UnreachableError);
    expect(error?.message).toBe(
      `${client.server}: the server's certificate is not signed by the kubeconfig's authority`,
    );
    expect(isTransient(error)).toBe(false);
  });

  test("a server with a certificate for another host, or one that has expired", async () => {
    const wrong = await failure((await clientFor((_, r) => r.end(), { hosts: ["10.0.0.1"] })).get("/x"));
    expect(wrong?.message).toMatch(/IP: 127\.0\.0\.1 is not in the cert's list/);
    const old = await failure((await clientFor((_, r) => r.end(), { expired: true })).get("/x"));
    expect(old?.message).toMatch(/the server's certificate has expired$/);
    expect([isTransient(wrong), isTransient(old)]).toEqual([false, false]);
  });

  test("a server that is known by an address of its own is held against that one, without a warning", async () => {
    const warnings: string[] = [];
    const warned = ({ name, message }: Error) => warnings.push(`${name}: ${message}`);
    process.on("warning", warned);
    const { server, url } = await startServer(authority, (_, response) => response.end("ok"), ["10.0.0.7"]);
    servers.push(server);
    const knownAs = async (address: string) => {
      const config = JSON.parse(
        kubeconfigOf(url, authority.certificate, await authority.issue({ commonName: "user" })),
      );
      config.clusters[0].cluster["tls-server-name"] = address;
      return (await connect(JSON.stringify(config))).request("GET", "/readyz");
    };
    expect(await knownAs("10.0.0.7")).toBe("ok");
    expect((await failure(knownAs("10.0.0.8")))?.message).toMatch(
      /IP: 10\.0\.0\.8 is not in the cert's list: 10\.0\.0\.7/,
    );
    await new Promise(setImmediate);
    process.off("warning", warned);
    expect(warnings).toEqual([]);
  });

  test("nothing listens there", async () => {
    const user = await authority.issue({ commonName: "user" });
    const client = await connect(kubeconfigOf("https://127.0.0.1:31798", authority.certificate, user));
    const error = await failure(client.get("/x"));
    expect(error?.message).toBe("https://127.0.0.1:31798: connection refused, nothing listens there");
    expect(isTransient(error)).toBe(true);
  });

  test("a user who logs in through a program gets a token from it", async () => {
    let authorization: string | undefined;
    const { server, url } = await startServer(authority, (request, response) => {
      authorization = request.headers.authorization;
      response.end("ok");
    });
    servers.push(server);
    const credential = JSON.stringify({
      apiVersion: "client.authentication.k8s.io/v1",
      kind: "ExecCredential",
      status: { token: "from-program" },
    });
    const config = JSON.parse(kubeconfigOf(url, authority.certificate, { certificate: "", key: "" })) as {
      users: { user: object }[];
    };
    config.users[0]!.user = {
      exec: {
        apiVersion: "client.authentication.k8s.io/v1",
        command: process.execPath,
        args: ["-e", `console.log(${JSON.stringify(credential)})`],
        interactiveMode: "Never",
      },
    };
    const client = await connect(JSON.stringify(config));
    expect(await client.request("GET", "/readyz")).toBe("ok");
    expect(authorization).toBe("Bearer from-program");
  });

  test.each([
    ["that ends without a word", ["-c", "exit 3"], "it ended with exit code 3"],
    ["that says why", ["-c", "echo a >&2; echo b >&2; exit 1"], "it ended with exit code 1: a; b"],
    ["that prints what is no credential", ["-c", "echo secret"], "it printed no ExecCredential with a status"],
    ["that prints no status", ["-c", "echo {}"], "it printed no ExecCredential with a status"],
    ["that asks on its standard input", ["-c", "read word || exit 4"], "it ended with exit code 4"],
  ])("of a program %s is said which it is and what came of it", async (_, args, outcome) => {
    const error = await failure(connect(loggingInBy("sh", args)));
    expect(error).toBeInstanceOf(UnreachableError);
    expect(error?.message).toBe(`https://10.0.0.7: cannot log in by sh, as its kubeconfig says: ${outcome}`);
    expect(isTransient(error)).toBe(false);
  });

  test("a program is told that nobody answers it, and of the cluster where its kubeconfig wants that", async () => {
    const toldTo = async (more: object, extensions?: object[]) => {
      const config = new KubeConfig();
      const text = loggingInBy("sh", ["-c", 'echo "$KUBERNETES_EXEC_INFO $OF_ITS_OWN" >&2; exit 1']);
      const parsed = JSON.parse(text) as { users: { user: { exec: object } }[]; clusters: { cluster: object }[] };
      const [one] = parsed.users;
      Object.assign(parsed.clusters[0]!.cluster, { extensions });
      const exec = { ...one!.user.exec, env: [{ name: "OF_ITS_OWN", value: "kept" }], ...more };
      const kubeconfig = JSON.stringify({ ...parsed, users: [{ ...one, user: { exec } }] });
      config.loadFromString(kubeconfig);
      const error = await failure(logIn(config, parseKubeconfig(kubeconfig)));
      return error?.message.split("exit code 1: ")[1];
    };
    const info = (spec: object) =>
      JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", spec });
    expect(await toldTo({})).toBe(`${info({ interactive: false })} kept`);
    const cluster = { server: "https://10.0.0.7" };
    expect(await toldTo({ provideClusterInfo: true })).toBe(`${info({ interactive: false, cluster })} kept`);
    const extensions = [
      { name: "minikube", extension: { provider: "minikube" } },
      { name: "client.authentication.k8s.io/exec", extension: { audience: "one" } },
    ];
    const extended = { ...cluster, config: { audience: "one" } };
    expect(await toldTo({ provideClusterInfo: true }, extensions)).toBe(
      `${info({ interactive: false, cluster: extended })} kept`,
    );
  });

  test("of a program that is not there is said so", async () => {
    const error = await failure(connect(loggingInBy("no-such-login", [])));
    expect(error?.message).toBe(
      "https://10.0.0.7: cannot log in by no-such-login, as its kubeconfig says: there is no such program on this machine; install it, or give a kubeconfig that needs none",
    );
  });

  test("a program that waits is ended with all it has started", async () => {
    const config = new KubeConfig();
    const kubeconfig = loggingInBy("sh", ["-c", "sleep 600 & echo $! >&2; wait"]);
    config.loadFromString(kubeconfig);
    const error = await failure(logIn(config, parseKubeconfig(kubeconfig), 1));
    expect(error?.message).toMatch(
      /^https:\/\/10\.0\.0\.7: cannot log in by sh, as its kubeconfig says: it had not ended after 1 s, and nobody answers what it asks; log in by it before: \d+$/,
    );
    const started = Number(/\d+$/.exec(error?.message ?? "")?.[0]);
    await waitFor("the end of what it started", deadlineIn(5), async () => {
      const status = await readFile(`/proc/${started}/status`, "utf8").catch(() => "gone");
      return /^gone$|^State:\s+Z/m.test(status) ? undefined : new Pending(status);
    });
  });
});
