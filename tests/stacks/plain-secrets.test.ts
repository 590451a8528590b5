import { readFile } from "node:fs/promises";
import { plainSecrets, secretFields, secretMaps } from "../../stacks/plain-secrets.ts";

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

test("names every text of an environment, whatever its name", () => {
  const hooks = [{ name: "note", environment: { TOKEN: "t0p", RETRIES: "3" } }];
  expect(plainSecrets({ placement: { hooks } }, new Set())).toEqual([
    "placement.hooks[0].environment.TOKEN",
    "placement.hooks[0].environment.RETRIES",
  ]);
});

test("names the headers that a proxy is sent", () => {
  const behind = [{ name: "oslo", proxyHeader: { "Proxy-Authorization": "Basic bWU6cDRzcw==" } }];
  expect(plainSecrets({ members: behind }, new Set())).toEqual(["members[0].proxyHeader.Proxy-Authorization"]);
});

test("says nothing of a key with encrypted values", () => {
  expect(plainSecrets({ members, etcd }, new Set(["members", "etcd"]))).toEqual([]);
});

test("knows every field that the schema of a stack file lets be encrypted", async () => {
  const file = new URL("../../schema/stack.schema.json", import.meta.url);
  const { fields, maps } = encryptable(JSON.parse(await readFile(file, "utf8")));
  expect([...fields].sort()).toEqual([...secretFields].sort());
  expect([...maps].sort()).toEqual([...secretMaps].sort());
});

interface Schema {
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
}

/** The fields that take an encrypted value, and those of which each value may be one. */
function encryptable(schema: unknown, found = { fields: new Set<string>(), maps: new Set<string>() }) {
  if (typeof schema !== "object" || schema === null) return found;
  const { properties = {} } = schema as Schema;
  for (const [name, field] of Object.entries(properties)) {
    if (takesSecret(field)) found.fields.add(name);
    if (takesSecret(field.additionalProperties)) found.maps.add(name);
  }
  for (const part of Object.values(schema)) encryptable(part, found);
  return found;
}

const takesSecret = (field: Schema | boolean | undefined) =>
  typeof field === "object" && (field.anyOf ?? []).some(({ properties = {} }) => "secure" in properties);
