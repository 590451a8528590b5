import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { configOf, programOf, resolveExample } from "../support/example-stacks.ts";

const root = join(import.meta.dirname, "..", "..");
const examples = (await readdir(join(root, "examples")))
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => join("examples", name));
/** That of this repository; others beside it are the operator's, whose secrets and files are not here. */
const stack = "Pulumi.dev.yaml";

test("there is an example of each kind of etcd and of credentials", async () => {
  const texts = await Promise.all(examples.map((path) => readFile(join(root, path), "utf8")));
  for (const kind of ["managed", "external", "simulated", "kubeconfig", "kubeconfigFile", "stack", "ssh"])
    expect(texts.some((text) => text.includes(`kind: ${kind}`))).toBe(true);
});

test.each([...examples, stack])("%s resolves", async (path) => {
  const text = await readFile(join(root, path), "utf8");
  const config = configOf(text);
  expect(Object.keys(config).length).toBeGreaterThan(0);
  expect(await resolveExample(text)).toMatchObject({ program: programOf(config) });
});

/** Karmada by itself gives none: such a toleration would wait for what never comes. */
test.each(examples)("a taint NoExecute that a policy of %s waits for is one that failover gives", async (path) => {
  const text = await readFile(join(root, path), "utf8");
  const { policies = [] } = (await resolveExample(text)) as { policies?: readonly object[] };
  const waitedFor = tolerationsIn(policies).filter(({ effect }) => effect === "NoExecute");
  if (waitedFor.length === 0) return;
  expect(new Set(waitedFor.map(({ key }) => key))).toEqual(new Set(["not-ready"]));
  const { deployment } = configOf(text);
  const plane = deployment === undefined ? text : await exampleOf(String(deployment));
  expect(await resolveExample(plane)).toMatchObject({ controlPlane: { failover: { enabled: true } } });
});

test.each(examples)(
  "what takes snapshots of %s by the clock can sign in: it has no variables of the operator's",
  async (path) => {
    const resolved = await resolveExample(await readFile(join(root, path), "utf8"));
    const { schedule, targets = [] } = (resolved as { snapshots?: Partial<Snapshots> }).snapshots ?? {};
    const kinds = schedule === undefined ? [] : targets.flatMap(({ credentials }) => credentials?.kind ?? []);
    expect(kinds).not.toContain("environment");
  },
);

interface Snapshots {
  readonly schedule: object;
  readonly targets: readonly { readonly credentials?: { readonly kind: string } }[];
}

test.each([...examples, stack])("%s names the schema of stack files in its first line", async (path) => {
  const [first] = (await readFile(join(root, path), "utf8")).split("\n");
  const schema = /^# yaml-language-server: \$schema=(.*)$/.exec(first!)?.[1];
  expect(join(root, dirname(path), schema!)).toBe(join(root, "schema", "stack.schema.json"));
});

const exampleOf = (stack: string) => readFile(join(root, "examples", `Pulumi.${stack}.yaml`), "utf8");

/** Wherever they stand. */
function tolerationsIn(value: unknown): { key?: string; effect?: string }[] {
  if (typeof value !== "object" || value === null) return [];
  const { clusterTolerations = [], ...rest } = value as { clusterTolerations?: { key?: string; effect?: string }[] };
  return [...clusterTolerations, ...Object.values(rest).flatMap(tolerationsIn)];
}
