import { createHash, createPrivateKey, createPublicKey } from "node:crypto";
import ssh2 from "ssh2";
import { Secret, UNKNOWN, Unknown } from "../../../toolchain/plugins/server/index.ts";
import { installedVersion, startPlugin } from "../support/plugin.ts";
import type { Plugin } from "../support/plugin.ts";

const TYPE = "tls:index/privateKey:PrivateKey";
let plugin: Plugin;
beforeAll(async () => {
  plugin = await startPlugin("tls");
});
afterAll(() => plugin[Symbol.asyncDispose]());

const opened = (value: unknown): string => (value as Secret).value as string;

test("the plugin has the version of the npm package", async () => {
  expect(await plugin.version()).toBe(installedVersion("@pulumi/tls"));
});

test.each([
  ["RSA", { rsaBits: 2048 }, "RSA PRIVATE KEY", "ssh-rsa"],
  ["ECDSA", { ecdsaCurve: "P256" }, "EC PRIVATE KEY", "ecdsa-sha2-nistp256"],
  ["ECDSA", { ecdsaCurve: "P384" }, "EC PRIVATE KEY", "ecdsa-sha2-nistp384"],
  ["ECDSA", { ecdsaCurve: "P521" }, "EC PRIVATE KEY", "ecdsa-sha2-nistp521"],
  ["ED25519", {}, "PRIVATE KEY", "ssh-ed25519"],
])("every format of an %s key (%j) is of the same key", async (algorithm, size, pemType, sshType) => {
  const { id, outputs } = await plugin.up(TYPE, { algorithm, ...size });
  expect(opened(outputs["privateKeyPem"]).split("\n")[0]).toBe(`-----BEGIN ${pemType}-----`);
  const key = createPrivateKey(opened(outputs["privateKeyPem"]));
  const publicKey = createPublicKey(key);
  const der = publicKey.export({ format: "der", type: "spki" });
  expect(opened(outputs["privateKeyPemPkcs8"])).toBe(key.export({ format: "pem", type: "pkcs8" }));
  expect(outputs["publicKeyPem"]).toBe(publicKey.export({ format: "pem", type: "spki" }));
  if (!/[\t\n\v\f\r ]$/.test(der.toString("latin1"))) expect(id).toBe(createHash("sha1").update(der).digest("hex"));

  const parsed = ssh2.utils.parseKey(opened(outputs["privateKeyOpenssh"]));
  if (parsed instanceof Error) throw parsed;
  const ssh = [parsed].flat()[0]!.getPublicSSH();
  expect(outputs["publicKeyOpenssh"]).toBe(`${sshType} ${ssh.toString("base64")}\n`);
  expect(outputs["publicKeyFingerprintMd5"]).toBe(
    createHash("md5")
      .update(ssh)
      .digest("hex")
      .replace(/..(?!$)/g, "$&:"),
  );
  const sha256 = createHash("sha256").update(ssh).digest("base64").replace(/=$/, "");
  expect(outputs["publicKeyFingerprintSha256"]).toBe(`SHA256:${sha256}`);
});

test("the default curve P224 has no OpenSSH formats", async () => {
  const { outputs } = await plugin.up(TYPE, { algorithm: "ECDSA" });
  expect(outputs).toMatchObject({
    ...{ ecdsaCurve: "P224", rsaBits: 2048, __meta: '{"schema_version":"1"}', __pulumi_raw_state_delta: { obj: {} } },
    ...{ publicKeyOpenssh: "", publicKeyFingerprintMd5: "", publicKeyFingerprintSha256: "" },
    privateKeyOpenssh: new Secret(""),
  });
  const key = createPrivateKey(opened(outputs["privateKeyPem"]));
  expect(key.asymmetricKeyDetails?.namedCurve).toBe("secp224r1");
});

test("a preview knows nothing of the key", async () => {
  const outputs = await plugin.preview(TYPE, { algorithm: "ECDSA", ecdsaCurve: UNKNOWN });
  for (const name of ["id", "ecdsaCurve", "privateKeyPem", "publicKeyPem"])
    expect(outputs[name]).toBeInstanceOf(Unknown);
  expect(outputs["rsaBits"]).toBe(2048);
});

test("a small RSA key and unknown names are refused", async () => {
  await expect(plugin.up(TYPE, { algorithm: "RSA", rsaBits: 512 })).rejects.toThrow(
    "Unable to generate Key from configuration: crypto/rsa: 512-bit keys are insecure",
  );
  const { failures } = await plugin.check(TYPE, { algorithm: "X", ecdsaCurve: "P1" });
  expect(failures.map(({ reason }) => reason).sort()).toEqual([
    'Invalid Attribute Value Match. Attribute algorithm value must be one of: ["RSA" "ECDSA" "ED25519"], got: "X". ' +
      "Examine values at 'thing.algorithm'.",
    'Invalid Attribute Value Match. Attribute ecdsa_curve value must be one of: ["P224" "P256" "P384" "P521"], got: ' +
      "\"P1\". Examine values at 'thing.ecdsaCurve'.",
  ]);
});

test("a change of curve or size replaces, and every output will be new", async () => {
  const state = await plugin.up(TYPE, { algorithm: "ECDSA", ecdsaCurve: "P256" });
  const made = ["id", "privateKeyOpenssh", "privateKeyPem", "privateKeyPemPkcs8", "publicKeyFingerprintMd5"];
  const diff = await plugin.diff(TYPE, state, { algorithm: "ECDSA", ecdsaCurve: "P384" });
  expect(diff).toMatchObject({ changes: "some", replaces: ["ecdsaCurve"], diffs: expect.arrayContaining(made) });
  expect(await plugin.diff(TYPE, state, { algorithm: "ECDSA", ecdsaCurve: "P256" })).toMatchObject({ changes: "none" });
});

test("a refresh gives back what is in the state", async () => {
  const state = await plugin.up(TYPE, { algorithm: "ECDSA", ecdsaCurve: "P256" });
  expect(await plugin.read(TYPE, state.id, state.outputs, state.inputs)).toEqual(state);
});
