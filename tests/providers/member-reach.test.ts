import { createServer, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { jest } from "@jest/globals";
import { closeHosts } from "../../lib/hosts/hosts.ts";
import { provider } from "../../providers/member-reach-impl.ts";
import type { ReachedMember } from "../../providers/member-reach.ts";
import { createAuthority } from "../support/certificates.ts";

const authority = await createAuthority("member");
const leaf = await authority.issue({ commonName: "member", hosts: ["127.0.0.1"] });
const servers: Server[] = [];
let answering: string;
let silent: string;
let plain: string;

const listening = async (server: Server) => {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `https://127.0.0.1:${(server.address() as { port: number }).port}`;
};

beforeAll(async () => {
  answering = await listening(createTlsServer({ key: leaf.key, cert: leaf.certificate }, (client) => client.end()));
  silent = await listening(createServer(() => {}));
  plain = await listening(createServer((client) => client.end("HTTP/1.0 400 Bad Request\r\n\r\n")));
});
afterAll(() => {
  closeHosts();
  for (const server of servers) server.close();
});

const nobody = "https://127.0.0.1:1";
const pushed = (server: string | undefined, from?: string[]): ReachedMember => ({
  syncMode: "Push",
  modeReason: "both are in the network corp",
  ...(server !== undefined && { server }),
  ...(from && { from }),
});

/** What a preview says, and how long it takes to. */
async function warnings(members: Record<string, ReachedMember>, names: string[] = []) {
  const warn = jest.spyOn(console, "warn").mockImplementation(() => {});
  const begin = performance.now();
  const hosts = Object.fromEntries(names.map((name) => [name, { kind: "local" as const, name, address: "10.0.0.1" }]));
  const { failures = [] } = await provider.check({}, { members, hosts });
  const said = warn.mock.calls.flat() as string[];
  warn.mockRestore();
  expect(failures).toEqual([]);
  return { said, seconds: (performance.now() - begin) / 1000 };
}

const advice =
  "\nsyncMode auto came to Push, as both are in the network corp: if the cluster is up, declare syncMode Pull, or correct networks on either side";

test("a member that answers, whoever signed its certificate, and one that only a proxy comes to are nothing to speak of", async () => {
  expect((await warnings({ paris: pushed(answering), rome: pushed(undefined) })).said).toEqual([]);
});

test("those that do not answer as networks have it are named with what was found, all of them in the time of one", async () => {
  const silents = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`s${i}`, pushed(silent)]));
  const { said, seconds } = await warnings({ paris: pushed(nobody), rome: pushed(plain), ...silents });
  expect(said).toHaveLength(52);
  expect(said).toContain(
    `paris: ${nobody} does not answer from this machine: connection refused, nothing listens there${advice}`,
  );
  expect(said).toContain(`s7: ${silent} does not answer from this machine: no answer in time${advice}`);
  expect(said.find((sentence) => sentence.startsWith("rome: "))).toMatch(/ssl|tls|cut/i);
  expect(seconds).toBeLessThan(5);
});

test("it is tried from the hosts of what dials it", async () => {
  const members = { paris: pushed(nobody, ["h1", "h2"]), oslo: pushed(answering, ["h1"]) };
  expect((await warnings(members, ["h1", "h2"])).said).toEqual([
    `paris: ${nobody} does not answer from h1 (10.0.0.1): connection refused, nothing listens there; ` +
      `from h2 (10.0.0.1): connection refused, nothing listens there${advice}`,
  ]);
});

test("of an agent beside the control plane the advice is to have it in the member", async () => {
  const oslo = { ...pushed(nobody), syncMode: "Pull" as const, modeReason: "no network in common" };
  const [said] = (await warnings({ oslo })).said;
  expect(said).toMatch(/came to Pull, as no network in common, .* declare agent\.kind inMember$/);
});
