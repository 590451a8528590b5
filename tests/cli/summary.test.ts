import { PassThrough } from "node:stream";
import { changesText, type Outcome, summary } from "../../cli/stack/summary.ts";

const outcome: Outcome = {
  stack: "dev",
  karmada: "1.18.2",
  inventory: {
    endpoint: "https://127.0.0.1:24000",
    members: [
      { name: "member1", syncMode: "Push", kubernetesVersion: "v1.35.3", ready: true },
      { name: "a-longer-name", syncMode: "Push", kubernetesVersion: "v1.34.3", ready: false },
    ],
  },
  workspace: { kubeconfig: "/checkout/.karmada/dev/kubeconfig", bin: "/checkout/.karmada/dev/bin" },
  changes: { create: 113, same: 2 },
  seconds: 24.26,
  sample: true,
};

test("the closing words say what there is, where, and what to try next", () => {
  expect(summary(outcome, new PassThrough())).toBe(`
Karmada 1.18.2, stack dev: 113 created, 24.3 s

  API server  https://127.0.0.1:24000
  kubeconfig  /checkout/.karmada/dev/kubeconfig

  CLUSTER        VERSION  MODE  READY
  member1        v1.35.3  Push  True
  a-longer-name  v1.34.3  Push  False

Try next
  export KUBECONFIG=/checkout/.karmada/dev/kubeconfig        # talk to Karmada
  export PATH=/checkout/.karmada/dev/bin:$PATH               # with clients that fit
  kubectl get clusters                                       # the members
  karmadactl get deployments --operation-scope=all           # the sample, here and in the members
  kubectl scale deployment sample --replicas=6               # and look again
  npm run pulumi -- preview --diff --stack dev               # after an edit of Pulumi.dev.yaml
  npm run pulumi -- stack output --json --stack dev          # the whole inventory
  npm run destroy                                            # take everything away
`);
});

test("a path that a shell would split is quoted", () => {
  const workspace = { kubeconfig: "/my checkout/kubeconfig", bin: "/it's/bin" };
  const text = summary({ ...outcome, workspace }, new PassThrough());
  expect(text).toContain("export KUBECONFIG='/my checkout/kubeconfig' ");
  expect(text).toContain(`export PATH='/it'\\''s/bin':$PATH `);
});

test("colour is for terminals only", () => {
  const escape = String.fromCharCode(27);
  const terminal = Object.assign(new PassThrough(), { isTTY: true, getColorDepth: () => 8, hasColors: () => true });
  const before = process.env.NO_COLOR;
  delete process.env.NO_COLOR;
  try {
    expect(summary(outcome, new PassThrough())).not.toContain(escape);
    expect(summary(outcome, terminal)).toContain(`${escape}[31mFalse`);
  } finally {
    if (before !== undefined) process.env.NO_COLOR = before;
  }
});

test("another stack is named where commands need it, and no members are no table", () => {
  const text = summary(
    { ...outcome, stack: "test", sample: false, inventory: { ...outcome.inventory, members: [] } },
    new PassThrough(),
  );
  expect(text).toContain("npm run destroy -- --stack test");
  expect(text).toContain("no member clusters yet");
  expect(text).not.toContain("karmadactl");
});

test.each([
  [{ same: 113 }, "nothing had to be changed"],
  [{}, "nothing had to be changed"],
  [{ create: 2, update: 1, delete: 3, same: 9 }, "2 created, 1 updated, 3 deleted"],
])("%j reads as %j", (changes, text) => {
  expect(changesText(changes as Record<string, number>)).toBe(text);
});
