import { readFile } from "node:fs/promises";
import { plainSecrets, secretFields } from "../../stacks/plain-secrets.ts";

const members = [
  { name: "paris", credentials: { kind: "kubeconfig", kubeconfig: "apiVersion: v1" } },
  { name: "oslo", credentials: { kind: "simulated" }, taints: [{ key: "edge", effect: "NoSchedule" }] },
];
const etcd = { kind: "external", key: "-----BEGIN EC PRIVATE KEY-----" };

test("names each secret that stands in clear", () => {
  expect(plainSecrets({ name: "dev", members, etcd }, new Set())).toEqual([
    "members[0].credentials.kubeconfig",
    "etcd.key",
  ]);
});

test("says nothing of a key with encrypted values", () => {
  expect(plainSecrets({ members, etcd }, new Set(["members", "etcd"]))).toEqual([]);
});

test("knows every field that the schema of a stack file lets be encrypted", async () => {
  const schema = new URL("../../schema/stack.schema.json", import.meta.url);
  const fields = new Set(encryptable(JSON.parse(await readFile(schema, "utf8"))));
  expect([...fields].sort()).toEqual([...secretFields].sort());
});

function encryptable(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {} } = schema as { properties?: Record<string, { anyOf?: { properties?: object }[] }> };
  const own = Object.entries(properties).filter(([, { anyOf = [] }]) =>
    anyOf.some((form) => "secure" in (form.properties ?? {})),
  );
  return [...own.map(([name]) => name), ...Object.values(schema).flatMap(encryptable)];
}
