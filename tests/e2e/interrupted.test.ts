/** `pulumi up` killed at any moment: the next one goes on, with nothing doubled and nothing lost. */
import { seededRandom, testSeed } from "../support/seeded-random.ts";
import { killTree } from "./support/kill-tree.ts";
import { eventually, kubectlFor, type Json } from "./support/kubectl.ts";
import { TestStack } from "./support/stack.ts";

let stack: TestStack;

beforeAll(async () => {
  stack = await TestStack.create({ members: [{ name: "member1", credentials: { kind: "simulated" } }] }, 27000);
  await stack.preview();
});

afterAll(() => stack?.remove(), 180_000);

test("an up that is killed at random moments converges at last", async () => {
  const seed = testSeed();
  const random = seededRandom(seed);
  console.log(`once more: KARMADA_TEST_SEED=${seed}`);
  for (const latest of [3_000, 6_000, 9_000, 12_000]) {
    const moment = latest * (0.3 + 0.7 * random());
    const up = stack.start(["up", "--yes", "--skip-preview"]);
    await new Promise((resolve) => setTimeout(resolve, moment));
    console.log(`pulumi up killed after ${Math.round(moment)} ms`);
    await killTree(up.pid!);
    await up;
  }
  await stack.up();
  const names = (await stack.processes()).map(({ command }) => command.split(" ").slice(0, 6).join(" "));
  expect(new Set(names).size).toBe(names.length);
  const { kubeconfig } = await stack.outputs<{ kubeconfig: string }>();
  const { kubectl, remove } = await kubectlFor(kubeconfig);
  try {
    await eventually(
      () => kubectl.get("cluster", "member1"),
      (cluster: Json) => cluster.status.conditions.some((c: Json) => c.type === "Ready" && c.status === "True"),
    );
  } finally {
    await remove();
  }
  await stack.successfully(["preview", "--refresh", "--expect-no-changes"]);
}, 400_000);
