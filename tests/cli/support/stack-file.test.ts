import { withoutPlainSecrets } from "../../../cli/support/stack-file.ts";

test("secrets in clear are taken out, what is encrypted, comments and order stay", () => {
  const text = `# ours
encryptionsalt: v1:salt
config:
  karmada:placement:
    kind: hosts
    login: { user: root, privateKey: "-----BEGIN", passphrase: hunter2 } # by hand
    taints: [{ key: dedicated, effect: NoSchedule }]
  karmada:etcd:
    key:
      secure: v1:ciphertext
  karmada:snapshots: { targets: [{ kind: s3, secretAccessKey: hunter3, accessKeyId: AKIA }] }
  karmada:hooks: { environment: { WHO: hunter4, ENCRYPTED: { secure: v1:other } } }
  karmada:addons: [{ name: a, source: { values: { adminPassword: hunter5, replicas: 2 } } }]
`;
  const shown = withoutPlainSecrets(text);
  expect(shown).not.toMatch(/hunter|BEGIN/);
  expect(shown.replaceAll(/"?\[redacted\]"?/g, "X")).toBe(`# ours
encryptionsalt: v1:salt
config:
  karmada:placement:
    kind: hosts
    login: { user: root, privateKey: X, passphrase: X } # by hand
    taints: [ { key: dedicated, effect: NoSchedule } ]
  karmada:etcd:
    key:
      secure: v1:ciphertext
  karmada:snapshots: { targets: [ { kind: s3, secretAccessKey: X, accessKeyId: AKIA } ] }
  karmada:hooks: { environment: { WHO: X, ENCRYPTED: { secure: v1:other } } }
  karmada:addons: [ { name: a, source: { values: { adminPassword: X, replicas: 2 } } } ]
`);
});

test("so is what is only named there, and what is in a value of JSON", () => {
  const shown = withoutPlainSecrets(`config:
  karmada:x: &login hunter2
  karmada:y: { password: *login }
  karmada:members: '[{"name":"oslo","credentials":{"kubeconfig":"hunter3"}}]'
`);
  expect(shown).not.toContain("hunter");
  expect(shown).toContain("oslo");
});

test("of a file that is not YAML nothing is shown, as what is secret in it cannot be told", () => {
  expect(() => withoutPlainSecrets("config:\n  a: {password: hunter2\nb")).toThrow(/^it cannot be read as YAML: /);
  expect(() => withoutPlainSecrets("config:\n  a: {password: hunter2\nb")).not.toThrow(/hunter2/);
});

test("an empty file is nothing to be afraid of", () => expect(withoutPlainSecrets("")).not.toContain("undefined"));
