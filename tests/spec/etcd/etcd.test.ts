import { X509Certificate } from "node:crypto";
import fc from "fast-check";
import { quorum } from "../../../spec/etcd/size.ts";
import { lastPort } from "../../../spec/placement/ports.ts";
import { resolve } from "../../../spec/resolve.ts";
import { createAuthority } from "../../support/certificates.ts";
import { pair } from "../client-pair.ts";
import { context, problemsOf } from "../configuration.ts";

const external = (endpoint: string) => ({
  kind: "external",
  endpoints: [endpoint],
  ca: pair.certificate,
  certificate: pair.certificate,
  key: pair.key,
});

test("two quorums always share a member, and one member fewer would not do", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), (members) => {
      expect(2 * quorum(members)).toBeGreaterThan(members);
      expect(2 * (quorum(members) - 1)).toBeLessThanOrEqual(members);
    }),
  );
});

test("an even number survives no more losses than one member fewer", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), (half) => {
      const losses = (members: number) => members - quorum(members);
      expect(losses(2 * half)).toBe(losses(2 * half - 1));
    }),
  );
});

test("exactly 1, 3, 5 and 7 members are accepted", () => {
  fc.assert(
    fc.property(fc.oneof(fc.integer({ min: -3, max: 20 }), fc.double({ noNaN: true })), (members) => {
      const problems = problemsOf({ etcd: { kind: "managed", members } });
      expect(problems.length === 0).toBe([1, 3, 5, 7].includes(members));
    }),
  );
});

const orNames = ", or a list of names such as [etcd-0, etcd-2, etcd-3]";
const evenWhy = "(a quorum of 2 needs 2: no more losses are survived than with 1)";

test.each([
  [0, "got 0, want 1, 3, 5 or 7"],
  [2, `got 2, want 1, 3, 5 or 7 ${evenWhy}`],
  [9, "got 9, want 1, 3, 5 or 7"],
  ["3", `got "3", want 1, 3, 5 or 7${orNames}`],
  [null, `missing, want 1, 3, 5 or 7${orNames}`],
  [["etcd-0", "etcd-1"], `got 2 names, want 1, 3, 5 or 7 ${evenWhy}`],
  [[], "got 0 names, want 1, 3, 5 or 7"],
  [["etcd-0", "etcd-0", "etcd-1"], "got etcd-0 twice, want each name once"],
])("%p members are refused", (members, message) => {
  expect(problemsOf({ etcd: { kind: "managed", members } })).toEqual([`etcd.members: ${message}`]);
});

test("members are known by their names; a number stands for the first ones, and their order for nothing", () => {
  const membersOf = (members: unknown) => resolve({ etcd: { kind: "managed", members } }, context).etcd;
  expect(membersOf(3)).toMatchObject({ members: ["etcd-0", "etcd-1", "etcd-2"] });
  expect(resolve({}, context).etcd).toEqual(membersOf(3));
  expect(membersOf(["etcd-3", "etcd-0", "etcd-2"])).toMatchObject({ members: ["etcd-0", "etcd-2", "etcd-3"] });
});

const nameForm =
  "want a name from etcd-0 to etcd-6 (a member keeps its name for life: list another one to replace it by a new member, or raise its number in etcd.replace)";

test("names of another form are refused, with what to do instead", () => {
  const members = ["etcd-0", "karmada-etcd-1", "etcd-7"];
  expect(problemsOf({ etcd: { kind: "managed", members } })).toEqual([
    `etcd.members[1]: got "karmada-etcd-1", ${nameForm}`,
    `etcd.members[2]: got "etcd-7", ${nameForm}`,
  ]);
});

test("only a member that there is can be replaced, by a number that can rise", () => {
  const problems = (replace: object) => problemsOf({ etcd: { kind: "managed", members: 3, replace } });
  expect(problems({ "etcd-1": 2 })).toEqual([]);
  expect(problems({ "etcd-3": 1 })).toEqual([
    "etcd.replace.etcd-3: no member has this name, want one of etcd-0, etcd-1, etcd-2",
  ]);
  expect(problems({ "etcd-1": 0, "etcd-2": true })).toEqual([
    "etcd.replace.etcd-1: got 0, want a whole number from 1 to 1000000",
    "etcd.replace.etcd-2: got true, want a whole number from 1 to 1000000",
  ]);
});

test("when to defragment, and what to do with strangers, is said in a few words", () => {
  const problems = (more: object) => problemsOf({ etcd: { kind: "managed", ...more } });
  expect(resolve({}, context).etcd).toMatchObject({
    replace: {},
    defragment: { fragmentation: 0.45, size: "100Mi" },
    foreignMembers: "refuse",
  });
  expect(problems({ defragment: { fragmentation: 45, size: "1GB" }, foreignMembers: "keep" })).toEqual([
    "etcd.defragment.fragmentation: got 45, want a number from 0.1 to 0.99",
    'etcd.defragment.size: got "1GB", want a size such as "512Mi" or "8Gi"',
    'etcd.foreignMembers: got "keep", want "refuse", "ignore" or "remove"',
  ]);
});

test.each([
  "data-dir",
  "wal-dir",
  "initial-cluster",
  "force-new-cluster",
  "peer-key-file",
  "listen-client-http-urls",
  "discovery",
])("%s is not free: the members would lose each other or their data", (flag) => {
  const [problem] = problemsOf({ etcd: { kind: "managed", extraArgs: { [flag]: "x" } } });
  expect(problem).toMatch(new RegExp(`^etcd.extraArgs.${flag}: this flag is set `));
});

test("an external etcd needs endpoints and credentials, and says all that is missing", () => {
  expect(problemsOf({ etcd: { kind: "external", endpoints: [] } })).toEqual([
    "etcd.endpoints: got an empty list, want at least one",
    "etcd.ca: missing, want a certificate in PEM form",
    "etcd.certificate: missing, want a certificate in PEM form",
    "etcd.key: missing, want a private key in PEM form",
  ]);
});

test("an external etcd without TLS is refused", () => {
  expect(problemsOf({ etcd: external("http://etcd-1.example.org:2379") })).toEqual([
    'etcd.endpoints[0]: got "http://etcd-1.example.org:2379", want an address with a port from 1 to 65535, such as "https://etcd-1.example.org:2379"',
  ]);
});

test("the fields of one kind of etcd are not those of the other", () => {
  expect(problemsOf({ etcd: { ...external("https://etcd-1.example.org:2379"), members: 3 } })).toEqual([
    "etcd.members: unknown key, want one of kind, stack, endpoints, ca, certificate, key, prefix, maintenance, adopt",
  ]);
});

test("data that are there already are gone on with only where that is asked for", () => {
  const adopting = (etcd: object) =>
    resolve({ etcd: { ...external("https://etcd-1.example.org:2379"), ...etcd } }, context).etcd;
  expect(adopting({})).toMatchObject({ adopt: false });
  expect(adopting({ adopt: true })).toMatchObject({ adopt: true });
});

test("an external etcd on this machine may not have its port in the deployment's range", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1024, max: 64536 }),
      fc.integer({ min: 1, max: 65535 }),
      fc.constantFrom("localhost", "127.0.0.1", "127.8.8.8", "[::1]"),
      (basePort, port, host) => {
        const problems = problemsOf({
          placement: { kind: "local", basePort },
          etcd: external(`https://${host}:${port}`),
        });
        const last = lastPort(basePort);
        expect(problems).toEqual(
          port >= basePort && port <= last
            ? [
                `etcd.endpoints[0]: got port ${port} of this machine, want one outside ${basePort} to ${last}, or another placement.basePort: the ports overlap`,
              ]
            : [],
        );
      },
    ),
  );
});

test("an external etcd elsewhere may have any port", () => {
  const etcd = external("https://etcd-1.example.org:24500");
  expect(resolve({ etcd }, context).etcd).toMatchObject({ endpoints: ["https://etcd-1.example.org:24500"] });
});

test("the key is not repeated, whatever it is", () => {
  const lines = problemsOf({ etcd: { ...external("https://e.example.org:2379"), key: { secret: "s3cret" } } });
  expect(lines).toEqual(["etcd.key: got something else (not shown: a secret), want a private key in PEM form"]);
});

test("a database can grow to a size that something fits into, and that can be mapped into memory", () => {
  const problems = (quota: unknown) =>
    problemsOf({ etcd: { kind: "managed", quota, overrides: [{ name: "events", resources: ["/events"], quota }] } });
  for (const right of ["64Mi", "8Gi", "1024Gi", "1048576Mi"]) expect(problems(right)).toEqual([]);
  for (const wrong of ["1Mi", "63Mi", "1025Gi", "100000Gi"])
    expect(problems(wrong)).toEqual(
      ["etcd.quota", "etcd.overrides[0].quota"].map(
        (path) => `${path}: got "${wrong}", want a size from "64Mi" to "1024Gi"`,
      ),
    );
  expect(problems("8GB")[0]).toBe('etcd.quota: got "8GB", want a size such as "512Mi" or "8Gi"');
});

describe("what comes to an external etcd", () => {
  const now = new Date();
  const problems = (changes: object) =>
    problemsOf({ etcd: { ...external("https://etcd.example.org:2379"), ...changes } }, { now });

  test("is certificates that are valid, and the key of the first of them", async () => {
    const other = await createAuthority("other");
    const chain = `# etcd\n${pair.certificate}\n${other.certificate}`;
    expect(problems({ ca: `${other.certificate}\n${pair.certificate}`, certificate: chain })).toEqual([]);
    expect(problems({ key: other.key, maintenance: { certificate: other.certificate, key: pair.key } })).toEqual([
      "etcd.key: this private key does not belong to the certificate beside it",
      "etcd.maintenance.key: this private key does not belong to the certificate beside it",
    ]);
  });

  test("is no certificate that has expired, unless another one stands beside it", async () => {
    const old = await pair.issue({ commonName: "root", expired: true });
    const day = new X509Certificate(old.certificate).validToDate.toISOString().slice(0, 10);
    expect(problems({ ca: `${old.certificate}\n${pair.certificate}` })).toEqual([]);
    expect(problems({ ca: old.certificate, ...old })).toEqual([
      `etcd.ca: this authority expired on ${day}`,
      `etcd.certificate: this certificate expired on ${day}`,
    ]);
    expect(problemsOf({ etcd: external("https://e:1") }, { now: new Date("2025-06-01T00:00:00Z") })).toEqual([
      "etcd.ca: this authority is valid only from 2026-01-01, check the clock of this machine",
      "etcd.certificate: this certificate is valid only from 2026-01-01, check the clock of this machine",
    ]);
  });

  test("is no path, no text that is cut off, and no key that wants a passphrase", () => {
    const cut = pair.certificate.slice(0, 200);
    expect(
      problems({ ca: cut, certificate: `${cut}\n-----END CERTIFICATE-----`, key: "/etc/etcd/client.key" }),
    ).toEqual([
      "etcd.ca: this is not a certificate: it does not parse",
      "etcd.certificate: this is not a certificate: it does not parse",
      "etcd.key: this is not a private key in PEM form (not shown: a secret)",
    ]);
    expect(
      problems({ key: "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMII\n-----END ENCRYPTED PRIVATE KEY-----" }),
    ).toEqual(["etcd.key: this private key wants a passphrase, give it without one: openssl pkey -in FILE"]);
  });
});
