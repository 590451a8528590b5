import { PassThrough } from "node:stream";
import type { MemberStatus } from "../../lib/members/status.ts";
import { changesText, type Outcome, plainSummary, summary } from "../../cli/stack/summary.ts";

const now = new Date("2026-11-21T12:00:00Z");
const member = (name: string, more: Partial<MemberStatus>): MemberStatus => ({
  ...{ name, mode: "Push", version: "v1.35.3", ready: "Unknown", reason: "", message: "" },
  since: "2026-11-21T11:59:20Z",
  ...more,
});
const outcome: Outcome = {
  stack: "dev",
  karmada: "1.18.2",
  endpoint: "https://127.0.0.1:24000",
  seen: {
    members: [
      member("member1", { ready: "True", reason: "ClusterReady", nodes: { ready: 2, total: 2 } }),
      member("a-longer-name", { ready: "False", reason: "ClusterNotReachable", message: "cluster is not reachable." }),
    ],
  },
  workspace: { kubeconfig: "/checkout/.karmada/dev/kubeconfig", bin: "/checkout/.karmada/dev/bin" },
  changes: { create: 113, same: 2 },
  seconds: 24.26,
  sample: true,
  context: "member1",
};

test("the closing words say what there is, where, and what to try next", () => {
  expect(summary(outcome, now, new PassThrough())).toBe(`
Karmada 1.18.2, stack dev: 113 created, 24.3 s

  API server  https://127.0.0.1:24000
  kubeconfig  /checkout/.karmada/dev/kubeconfig

  CLUSTER        MODE  VERSION  READY  NODES  SINCE  CREDENTIAL  REASON
  member1        Push  v1.35.3  True   2/2    40s    no end      ClusterReady
  a-longer-name  Push  v1.35.3  False  -      40s    no end      ClusterNotReachable

  a-longer-name: cluster is not reachable.

Try next
  export KUBECONFIG=/checkout/.karmada/dev/kubeconfig        # talk to Karmada
  export PATH=/checkout/.karmada/dev/bin:$PATH               # with clients that fit
  kubectl get clusters                                       # the members
  karmadactl get deployments --operation-scope=all           # the sample, here and in the members
  kubectl scale deployment sample --replicas=6               # and look again
  kubectl --context member1 get pods -A                      # in a member itself
  npm run pulumi -- preview --diff --stack dev               # after an edit of Pulumi.dev.yaml
  npm run pulumi -- stack output --json --stack dev          # the whole inventory
  npm run destroy                                            # take everything away
`);
});

test("a stack without a control plane ends with what it did", () => {
  const ended = { stack: "prod", changes: { import: 24, create: 1 }, seconds: 3.51 };
  expect(plainSummary(ended, new PassThrough())).toBe(`
Stack prod: 24 imported, 1 created, 3.5 s

Try next
  npm run pulumi -- preview --diff --stack prod              # after an edit of Pulumi.prod.yaml
  npm run pulumi -- stack output --json --stack prod         # the whole inventory
  npm run destroy -- --stack prod                            # take everything away
`);
});

test("a path that a shell would split is quoted", () => {
  const workspace = { kubeconfig: "/my checkout/kubeconfig", bin: "/it's/bin" };
  const text = summary({ ...outcome, workspace }, now, new PassThrough());
  expect(text).toContain("export KUBECONFIG='/my checkout/kubeconfig' ");
  expect(text).toContain(`export PATH='/it'\\''s/bin':$PATH `);
});

test("colour is for terminals only", () => {
  const escape = String.fromCharCode(27);
  const terminal = Object.assign(new PassThrough(), { isTTY: true, getColorDepth: () => 8, hasColors: () => true });
  const before = process.env.NO_COLOR;
  delete process.env.NO_COLOR;
  try {
    expect(summary(outcome, now, new PassThrough())).not.toContain(escape);
    expect(summary(outcome, now, terminal)).toContain(`${escape}[31mFalse`);
  } finally {
    if (before !== undefined) process.env.NO_COLOR = before;
  }
});

test("another stack is named where commands need it, and no members are no table", () => {
  const text = summary({ ...outcome, stack: "test", sample: false, seen: { members: [] } }, now, new PassThrough());
  expect(text).toContain("npm run destroy -- --stack test");
  expect(text).toContain("  no member clusters: karmada:members in the stack file");
  expect(text).not.toContain("karmadactl");
});

test("a control plane that does not answer is said to, after all that was done", () => {
  const seen = { members: [], problem: "https://127.0.0.1:24000: no answer in time" };
  const text = summary({ ...outcome, seen }, now, new PassThrough());
  expect(text).toContain("\n  control plane: https://127.0.0.1:24000: no answer in time\n\nTry next\n");
});

test.each([
  [{ same: 113 }, "nothing had to be changed"],
  [{}, "nothing had to be changed"],
  [{ create: 2, update: 1, delete: 3, same: 9 }, "2 created, 1 updated, 3 deleted"],
])("%j reads as %j", (changes, text) => {
  expect(changesText(changes as Record<string, number>)).toBe(text);
});
