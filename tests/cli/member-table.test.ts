import { PassThrough } from "node:stream";
import { memberTable, span } from "../../cli/stack/member-table.ts";
import type { MemberStatus } from "../../lib/members/status.ts";

const now = new Date("2026-11-21T12:00:00Z");
const members: MemberStatus[] = [
  {
    name: "oslo",
    mode: "Push",
    version: "v1.35.3",
    ready: "True",
    reason: "ClusterReady",
    message: "cluster is healthy",
    nodes: { ready: 2, total: 2 },
    since: "2026-11-18T08:00:00Z",
    credentialSince: "2026-11-11T11:00:00Z",
  },
  {
    name: "rome-edge",
    mode: "Pull",
    version: "v1.34.3",
    ready: "Unknown",
    reason: "ClusterStatusUnknown",
    message: "Clusters stopped posting cluster status.",
    since: "2026-11-21T11:54:50Z",
    credentialExpires: "2026-11-22T12:00:00Z",
  },
];

test("members are a table, and what is not Ready says why below it", () => {
  expect(memberTable(members, now, new PassThrough())).toBe(
    `CLUSTER    MODE  VERSION  READY    NODES  SINCE  CREDENTIAL         REASON
oslo       Push  v1.35.3  True     2/2    3d4h   no end, 10d1h old  ClusterReady
rome-edge  Pull  v1.34.3  Unknown  -      5m10s  ends in 1d         ClusterStatusUnknown

rome-edge: Clusters stopped posting cluster status.
`,
  );
});

test("a credential that has ended is hard to overlook", () => {
  const ended = [{ ...members[1]!, credentialExpires: "2026-11-21T11:59:59Z" }];
  expect(memberTable(ended, now, new PassThrough())).toContain("  EXPIRED  ");
});

test("colour is for terminals only", () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true, getColorDepth: () => 8 });
  const before = { ...process.env };
  for (const name of ["NO_COLOR", "NODE_DISABLE_COLORS", "FORCE_COLOR"]) delete process.env[name];
  const coloured = memberTable(members, now, terminal);
  process.env = before;
  expect(coloured).toContain("\u001b[32mTrue     \u001b[39m");
  expect(coloured).toContain("\u001b[33mUnknown  \u001b[39m");
  expect(memberTable(members, now, new PassThrough())).not.toContain("\u001b");
});

test("a stack without members says where they come from", () => {
  expect(memberTable([], now, new PassThrough())).toBe("no member clusters: karmada:members in the stack file\n");
});

test.each([
  [0.4, "0s"],
  [59, "59s"],
  [60, "1m"],
  [3_661, "1h1m"],
  [86_400 * 400 + 60, "400d"],
])("%d seconds are %s", (seconds, text) => {
  expect(span(seconds)).toBe(text);
});
