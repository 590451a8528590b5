/** Two stacks on one machine, and an etcd that is somebody else's. */
import { readFile } from "node:fs/promises";
import { Kubectls } from "./support/kubectl.ts";
import { TestStack } from "./support/stack.ts";

const small = { etcd: { kind: "managed", members: 1 } };
const stacks: TestStack[] = [];
const kubectls = new Kubectls();

afterAll(async () => {
  await kubectls.remove();
  for (const stack of stacks.reverse()) await stack.remove();
}, 180_000);

async function started(config: Record<string, unknown>, basePort: number): Promise<TestStack> {
  const stack = await TestStack.create(config, basePort);
  stacks.push(stack);
  return stack;
}

test("two stacks with port ranges of their own run side by side", async () => {
  const [first, second] = [await started(small, 28000), await started(small, 29000)];
  await Promise.all([first.up(), second.up()]);
  const endpoints = await Promise.all([first, second].map((stack) => stack.outputs<{ endpoint: string }>()));
  expect(new Set(endpoints.map(({ endpoint }) => endpoint)).size).toBe(2);
}, 240_000);

test("a third stack on the first one's ports is refused in the preview, and nothing is started", async () => {
  const third = await started(small, 28000);
  const run = await third.preview();
  expect(run.exitCode).not.toBe(0);
  expect(run.text).toMatch(/port 28\d\d\d.*(in use|is used)/);
  expect(await third.processes()).toEqual([]);
}, 120_000);

describe("an etcd that is somebody else's", () => {
  const external = async (prefix: string, adopt = false) => {
    const file = (name: string) => readFile(`${stacks[0]!.directory}/karmada-apiserver/${name}`, "utf8");
    return {
      etcd: {
        kind: "external",
        endpoints: ["https://127.0.0.1:28030"],
        ca: await file("pki/etcd/ca.crt"),
        certificate: await file("pki/apiserver-etcd-client.crt"),
        key: await file("pki/apiserver-etcd-client.key"),
        prefix,
        adopt,
      },
    };
  };
  const refusal = async (stack: TestStack) => {
    const run = await stack.pulumi(["up", "--yes", "--skip-preview"]);
    expect(run.exitCode).not.toBe(0);
    const started = (await stack.processes()).filter(({ command }) => !command.includes("lib/supervisor/main.ts"));
    expect(started).toEqual([]);
    return run.text;
  };
  let guest: TestStack;

  test("is used under a prefix, and a prefix that holds another Karmada is refused, one that runs to whoever adopts it too", async () => {
    guest = await started(await external("/guest"), 30000);
    await guest.up();
    await guest.up("--expect-no-changes");
    const intruder = await started(await external("/registry"), 31000);
    expect(await refusal(intruder)).toMatch(/\/registry is not empty[^]*etcd\.adopt: true/);
    intruder.config = { ...intruder.config, ...(await external("/guest", true)) };
    expect(await refusal(intruder)).toMatch(/\/guest holds the data of another Karmada.*API server still runs/);
  }, 240_000);

  test("keeps what a destroyed Karmada stored, for the next one that is to adopt it", async () => {
    const before = await kubectls.to((await guest.outputs<{ kubeconfig: string }>()).kubeconfig);
    await before(["create", "namespace", "tenant"]);
    const { metadata } = await before.get("namespace", "tenant");
    await guest.successfully(["destroy", "--yes", "--skip-preview"]);
    guest.config = { ...guest.config, ...(await external("/guest")) };
    expect(await refusal(guest)).toMatch(/\/guest holds the data of another Karmada, the deployment "test"/);
    guest.config = { ...guest.config, ...(await external("/guest", true)) };
    await guest.up();
    await guest.up("--expect-no-changes");
    const after = await kubectls.to((await guest.outputs<{ kubeconfig: string }>()).kubeconfig);
    expect((await after.get("namespace", "tenant")).metadata.uid).toBe(metadata.uid);
  }, 300_000);
});
