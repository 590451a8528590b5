import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { jest } from "@jest/globals";
import { connectAlone } from "../../../lib/kube/client.ts";
import { type Authority, createAuthority } from "../../support/certificates.ts";
import { kubeconfigOf } from "../../support/cluster.ts";
import { type LoginProgram, loginProgram } from "../../support/login-program.ts";

let authority: Authority;
let server: https.Server;
let url: string;
let program: LoginProgram;
/** Who may come, by token or by the name in a certificate; undefined: everybody. */
let known: readonly string[] | undefined;
/** Who came. */
let came: string[];

beforeAll(async () => {
  authority = await createAuthority("one");
  const { certificate: cert, key } = await authority.issue({ commonName: "server", hosts: ["127.0.0.1"] });
  server = https.createServer(
    { cert, key, ca: authority.certificate, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      const who = request.headers.authorization?.replace("Bearer ", "") ?? String(subject?.CN);
      came.push(who);
      response.writeHead(known === undefined || known.includes(who) ? 200 : 401).end("ok");
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  program = loginProgram();
  [known, came] = [undefined, []];
});
afterEach(() => program.remove());

const clientOf = () => connectAlone(program.kubeconfig(url, authority.certificate));
const inMilliseconds = (some: number) => new Date(Date.now() + some).toISOString();

test("a login is made anew when its time is over, and not before", async () => {
  program.give({ token: "one", expirationTimestamp: inMilliseconds(60_000) });
  const client = await clientOf();
  await client.get("/x");
  await client.get("/x");
  const now = jest.spyOn(Date, "now").mockReturnValue(Date.now() + 61_000);
  program.give({ token: "two", expirationTimestamp: inMilliseconds(60_000) });
  await Promise.all([client.get("/x"), client.get("/x")]);
  await client.get("/x");
  now.mockRestore();
  expect([came, program.runs()]).toEqual([["one", "one", "two", "two", "two"], 2]);
});

test("a login that is over as it comes is shown all the same, and not made anew with each call", async () => {
  program.give({ token: "one", expirationTimestamp: inMilliseconds(-60_000) });
  const client = await clientOf();
  await client.get("/x");
  await client.get("/x");
  expect([came, program.runs()]).toEqual([["one", "one"], 1]);
});

test("a login that the server takes no more is made anew once for all calls, and each is made again", async () => {
  program.give({ token: "one" });
  const client = await clientOf();
  await client.get("/x");
  program.give({ token: "two" });
  known = ["two"];
  const calls = [client.get("/x"), client.create("/x", {}), client.delete("/x")];
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(Array(3).fill("fulfilled"));
  expect([came.filter((who) => who === "two").length, program.runs()]).toEqual([3, 2]);
});

test("a login that the server has never taken is said at once, and not made anew with each call", async () => {
  program.give({ token: "one" });
  known = [];
  const client = await clientOf();
  for (let call = 0; call < 3; call++) await expect(client.get("/x")).rejects.toThrow("GET /x: 401 ok");
  expect([came, program.runs()]).toEqual([["one", "one", "one"], 1]);
});

test("a login that is taken no more, as the new one is not, is said after one more", async () => {
  program.give({ token: "one" });
  const client = await clientOf();
  await client.get("/x");
  known = [];
  for (let call = 0; call < 3; call++) await expect(client.get("/x")).rejects.toThrow("GET /x: 401 ok");
  expect(program.runs()).toBe(2);
});

test("a new login with another certificate is shown by connections of its own", async () => {
  const certificates = await Promise.all(["one", "two"].map((commonName) => authority.issue({ commonName })));
  const [one, two] = certificates.map(({ certificate, key }) => ({
    clientCertificateData: certificate,
    clientKeyData: key,
  }));
  program.give(one);
  const client = await clientOf();
  await client.get("/x");
  program.give(two);
  known = ["two"];
  await client.get("/x");
  expect([came, program.runs()]).toEqual([["one", "one", "two"], 2]);
});

test("of a program that cannot log in any more is said so, and it is asked again with the next call", async () => {
  program.give({ token: "one" });
  const client = await clientOf();
  await client.get("/x");
  program.give(undefined);
  known = ["two"];
  await expect(client.get("/x")).rejects.toThrow(
    `${url}: cannot log in by sh, as its kubeconfig says: it ended with exit code 1: cat: `,
  );
  program.give({ token: "two" });
  await client.get("/x");
  expect(came.at(-1)).toBe("two");
});

test("a token in a file is read again each minute, and when the server takes it no more", async () => {
  const directory = mkdtempSync(join(tmpdir(), "token-"));
  const tokenFile = join(directory, "token");
  const config = JSON.parse(kubeconfigOf(url, authority.certificate, { certificate: "", key: "" })) as {
    users: { user: object }[];
  };
  config.users[0]!.user = { tokenFile };
  writeFileSync(tokenFile, "one\n");
  const client = await connectAlone(JSON.stringify(config));
  await client.get("/x");
  writeFileSync(tokenFile, "two\n");
  await client.get("/x");
  const now = jest.spyOn(Date, "now").mockReturnValue(Date.now() + 61_000);
  await client.get("/x");
  writeFileSync(tokenFile, "three\n");
  known = ["three"];
  await client.get("/x");
  rmSync(directory, { recursive: true });
  now.mockReturnValue(Date.now() + 122_000);
  await client.get("/x");
  now.mockRestore();
  expect(came).toEqual(["one", "one", "two", "two", "three", "three"]);
});
