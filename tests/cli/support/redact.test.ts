import { generateKeyPairSync } from "node:crypto";
import { isSecretName, redact } from "../../../cli/support/redact.ts";

const { privateKey, publicKey } = generateKeyPairSync("ec", {
  namedCurve: "P-256",
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const body = privateKey.split("\n")[1]!;
const base64 = (text: string) => Buffer.from(text).toString("base64");
const jwt = [{ alg: "RS256" }, { sub: "system:serviceaccount" }]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  .join(".");

test.each([
  ["a private key", `before\n${privateKey}after\n`, "before\n[redacted]\nafter\n"],
  ["a private key within JSON", JSON.stringify({ msg: `got ${privateKey}` }), '{"msg":"got [redacted]\\n"}'],
  ["one whose end is cut off", `got -----BEGIN RSA PRIVATE KEY-----\n${body}\n`, "got [redacted]"],
  ["one whose beginning is cut off", `${body}\n-----END EC PRIVATE KEY-----\nafter`, "[redacted]\nafter"],
  ["the key of a kubeconfig", `user: { data: ${base64(privateKey)} }`, "user: { data: [redacted] }"],
  ["a token of a service account", `presented ${jwt}.c2lnbmF0dXJl, refused`, "presented [redacted], refused"],
  ["a bootstrap token", "token abcdef.0123456789abcdef is unknown", "token [redacted] is unknown"],
  [
    "a bearer of a header",
    'header "Authorization: Bearer 0123456789abcdef0"',
    'header "Authorization: Bearer [redacted]"',
  ],
  ["a basic login", "authorization: Basic YWRtaW46aHVudGVyMg==", "authorization: Basic [redacted]"],
  ["a login in a URL", "GET https://admin:hunter2@mirror:443/x", "GET https://[redacted]@mirror:443/x"],
  ["a password in JSON", '{"password": "hun\\"ter2","user":"a"}', '{"password": "[redacted]","user":"a"}'],
  ["one in a text of JSON", '{"msg":"{\\"token\\":\\"hunter2\\"}"}', '{"msg":"{\\"token\\":\\"[redacted]\\"}"}'],
  ["one in an argument", "--secret-access-key=hunter2 --v=2", "--secret-access-key=[redacted] --v=2"],
  ["one in a variable", "DB_PASSWORD='hunter 2' x", "DB_PASSWORD=[redacted] x"],
  ["one in a variable within JSON", '{"msg":"password=\\"hunter 2\\" x"}', '{"msg":"password=[redacted] x"}'],
  [
    "one at the end of what is quoted in JSON",
    '{"msg":"got \\"password=hunter2\\""}',
    '{"msg":"got \\"password=[redacted]\\""}',
  ],
  ["one whose quote does not end", `password="hunter2\nafter`, "password=[redacted]\nafter"],
  ["one in YAML", "a: 1\n  adminPassword: hunter 2\nb: 2", "a: 1\n  adminPassword: [redacted]\nb: 2"],
])("%s is taken out", (_, text, expected) => {
  expect(redact(text)).toBe(expected);
  expect(redact(expected)).toBe(expected);
});

test.each([
  ["a certificate", `${publicKey}${base64("-----BEGIN CERTIFICATE-----\nMIIB")}`],
  ["what an error says of a token", "invalid bearer token: token has expired, secret=karmada-system/oslo"],
  ["a file of a token", "--token-auth-file=/x --service-account-private-key-file=/y"],
  ["what tells a cluster of etcd from others", '{"initial-cluster-token":"prod-etcd"}'],
  ["the name of an event", "karmada-system/etcd-0.18a5b6c7d8e9f012 and oslo-1.18a5b6c7d8e9f012"],
  ["an encrypted value", "karmada:x:\n  password:\n    secure: v1:abc\n  token: { secure: v1:def }\n"],
])("%s stays", (_, text) => expect(redact(text)).toBe(text));

test("what was JSON still is", () => {
  const object = {
    token: "a",
    n: 1,
    password: 'b"',
    automountServiceAccountToken: true,
    apiKey: ["c"],
    key: privateKey,
  };
  const text = redact(JSON.stringify(object, undefined, 2));
  expect(JSON.parse(text)).toEqual({ ...object, token: "[redacted]", password: "[redacted]", key: "[redacted]\n" });
});

test("a line of millions of letters takes no time", () => {
  const keys = "-----BEGIN PRIVATE KEY-----\n".repeat(180_000);
  const line = `${"a".repeat(2_000_000)} token ${"LS0t".repeat(500_000)}\n${"x.y-".repeat(500_000)}`;
  const began = performance.now();
  expect(redact(line)).toBe(line);
  expect(redact(keys)).not.toContain("BEGIN");
  expect(performance.now() - began).toBeLessThan(10_000);
});

test("names of fields are secret by how they end", () => {
  const names = ["password", "adminPassword", "secret_access_key", "tokenFile", "key", "passwordless"];
  expect(names.filter(isSecretName)).toEqual(["password", "adminPassword", "secret_access_key"]);
});
