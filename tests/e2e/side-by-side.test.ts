/** Two stacks on one machine, and an etcd that is somebody else's. */
import { readFile } from "node:fs/promises";
import { TestStack } from "./support/stack.ts";

const small = { etcd: { kind: "managed", members: 1 } };
const stacks: TestStack[] = [];

afterAll(async () => {
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

test("an external etcd is used under a prefix, and a prefix that holds another Karmada is refused", async () => {
  const [donor] = stacks;
  const file = (name: string) => readFile(`${donor!.directory}/karmada-apiserver/${name}`, "utf8");
  const external = async (prefix: string) => ({
    etcd: {
      kind: "external",
      endpoints: ["https://127.0.0.1:28030"],
      ca: await file("pki/etcd/ca.crt"),
      certificate: await file("pki/apiserver-etcd-client.crt"),
      key: await file("pki/apiserver-etcd-client.key"),
      prefix,
    },
  });
  const guest = await started(await external("/guest"), 30000);
  await guest.up();
  await guest.up("--expect-no-changes");
  const intruder = await started(await external("/registry"), 31000);
  const run = await intruder.pulumi(["up", "--yes", "--skip-preview"]);
  expect(run.exitCode).not.toBe(0);
  expect(run.text).toMatch(/\/registry.*holds/);
}, 240_000);
