/** Authority, request and signed certificate, as the program's Pki uses them. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { Secret, UNKNOWN, Unknown } from "../../../toolchain/plugins/server/index.ts";
import type { Properties } from "../../../toolchain/plugins/server/index.ts";
import { startPlugin } from "../support/plugin.ts";
import type { Plugin, ResourceState } from "../support/plugin.ts";

const KEY = "tls:index/privateKey:PrivateKey";
const SELF_SIGNED = "tls:index/selfSignedCert:SelfSignedCert";
const REQUEST = "tls:index/certRequest:CertRequest";
const SIGNED = "tls:index/locallySignedCert:LocallySignedCert";
const HOUR = 3_600_000;

let plugin: Plugin;
let caKey: string;
let caInputs: Properties;
let ca: ResourceState;
let leafKey: string;
let leafInputs: Properties;

const newKey = async (ecdsaCurve = "P256"): Promise<string> => {
  const { outputs } = await plugin.up(KEY, { algorithm: "ECDSA", ecdsaCurve });
  return (outputs["privateKeyPem"] as Secret).value as string;
};
const parse = ({ outputs }: ResourceState) => new X509Certificate(outputs["certPem"] as string);

beforeAll(async () => {
  plugin = await startPlugin("tls");
  caKey = await newKey();
  caInputs = {
    privateKeyPem: new Secret(caKey),
    subject: { commonName: "test-ca", organization: "Karmada" },
    allowedUses: ["cert_signing", "crl_signing", "digital_signature"],
    isCaCertificate: true,
    validityPeriodHours: 48,
  };
  ca = await plugin.up(SELF_SIGNED, caInputs);
  leafKey = await newKey();
  const request = await plugin.up(REQUEST, {
    privateKeyPem: new Secret(leafKey),
    subject: { commonName: "system:admin", organization: "system:masters" },
    dnsNames: ["etcd.karmada.svc", "*.example"],
    ipAddresses: ["10.0.0.1", "fd00::1"],
    uris: ["spiffe://karmada/etcd"],
  });
  leafInputs = {
    caCertPem: ca.outputs["certPem"],
    caPrivateKeyPem: new Secret(caKey),
    certRequestPem: request.outputs["certRequestPem"],
    allowedUses: ["key_encipherment", "digital_signature", "server_auth", "client_auth"],
    validityPeriodHours: 24,
  };
});
afterAll(() => plugin[Symbol.asyncDispose]());

test("an authority is self-signed, says that it is one and how long it is valid", async () => {
  const certificate = parse(ca);
  expect(certificate.ca).toBe(true);
  expect(certificate.subject).toBe("O=Karmada\nCN=test-ca");
  expect(certificate.issuer).toBe(certificate.subject);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.checkPrivateKey(createPrivateKey(caKey))).toBe(true);
  expect(certificate.validToDate.getTime() - certificate.validFromDate.getTime()).toBe(48 * HOUR);
  expect(BigInt(`0x${certificate.serialNumber}`).toString()).toBe(ca.id);
  expect(ca.outputs).toMatchObject({
    ...{ keyAlgorithm: "ECDSA", readyForRenewal: false, earlyRenewalHours: 0, id: ca.id },
    ...{ setSubjectKeyId: false, setAuthorityKeyId: false, privateKeyPem: new Secret(caKey) },
  });
  expect(ca.outputs["maxPathLength"]).toBeUndefined();
  const [start, end] = ["validityStartTime", "validityEndTime"].map((name) => Date.parse(ca.outputs[name] as string));
  expect(end! - start!).toBe(48 * HOUR);
});

test("a signed certificate has the request's names and key and the authority's name", async () => {
  const leaf = await plugin.up(SIGNED, leafInputs);
  const certificate = parse(leaf);
  expect(certificate.checkIssued(parse(ca))).toBe(true);
  expect(certificate.verify(parse(ca).publicKey)).toBe(true);
  expect(certificate.ca).toBe(false);
  expect(certificate.subject).toBe("O=system:masters\nCN=system:admin");
  expect(certificate.subjectAltName).toBe(
    "DNS:etcd.karmada.svc, DNS:*.example, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1, URI:spiffe://karmada/etcd",
  );
  expect(certificate.checkPrivateKey(createPrivateKey(leafKey))).toBe(true);
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
  expect(leaf.outputs).toMatchObject({ caKeyAlgorithm: "ECDSA", isCaCertificate: false, readyForRenewal: false });
  expect(leaf.outputs["caPrivateKeyPem"]).toEqual(new Secret(caKey));
});

test("keys of every kind sign", async () => {
  const kinds = [
    { algorithm: "RSA", rsaBits: 2048 },
    { algorithm: "ED25519" },
    { algorithm: "ECDSA", ecdsaCurve: "P521" },
  ];
  for (const kind of kinds) {
    const key = await plugin.up(KEY, kind);
    const state = await plugin.up(SELF_SIGNED, { ...caInputs, privateKeyPem: key.outputs["privateKeyPem"]! });
    const certificate = parse(state);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(state.outputs["keyAlgorithm"]).toBe(kind.algorithm);
  }
});

test("a preview knows what is configured and nothing that is made", async () => {
  const outputs = await plugin.preview(SIGNED, { ...leafInputs, certRequestPem: UNKNOWN });
  for (const name of ["id", "certPem", "certRequestPem", "caKeyAlgorithm", "validityStartTime", "validityEndTime"]) {
    expect(outputs[name]).toBeInstanceOf(Unknown);
  }
  expect(outputs).toMatchObject({ validityPeriodHours: 24, isCaCertificate: false, readyForRenewal: false });
});

test("an authority without a subject, or with a wrong key, signs nothing", async () => {
  await expect(plugin.up(SELF_SIGNED, { ...caInputs, subject: {} })).rejects.toThrow(
    "Invalid Certificate Subject: Must contain at least one Distinguished Name when creating Certificate Authority (CA)",
  );
  await expect(plugin.up(SIGNED, { ...leafInputs, caPrivateKeyPem: new Secret(leafKey) })).rejects.toThrow(
    "Failed to create certificate: x509: provided PrivateKey doesn't match parent's PublicKey",
  );
  await expect(plugin.up(SIGNED, { ...leafInputs, caCertPem: "x" })).rejects.toThrow(
    'Failed to parse CA certificate PEM: failed to decode PEM of expected type "CERTIFICATE" from bytes',
  );
  await expect(plugin.up(SELF_SIGNED, { ...caInputs, privateKeyPem: "x" })).rejects.toThrow(
    "Failed to parse private key PEM: failed to decode PEM block: decoded bytes 0, undecoded 1",
  );
  await expect(plugin.up(SELF_SIGNED, { ...caInputs, ipAddresses: ["1.2.3"] })).rejects.toThrow(
    'Invalid IP address: Failed to parse "1.2.3"',
  );
});

test("signing with a certificate that is no authority is warned of", async () => {
  const leaf = await plugin.up(SIGNED, leafInputs);
  const before = plugin.messages.length;
  await plugin.up(SIGNED, { ...leafInputs, caCertPem: leaf.outputs["certPem"], caPrivateKeyPem: new Secret(leafKey) });
  expect(plugin.messages.slice(before).map(({ text }) => text)).toContain(
    "[WARNING] Certificate provided as Authority does not appear to be a valid Certificate Authority. The resulting " +
      "certificate might fail certificate validation.: Potentially Invalid Certificate Authority",
  );
});

test.each<[string, Properties, string[]]>([
  ["subject", { subject: { commonName: "other" } }, ["subject"]],
  ["names", { dnsNames: ["a"] }, ["dnsNames"]],
  ["unknown names", { dnsNames: UNKNOWN }, ["dnsNames"]],
  ["uses", { allowedUses: ["cert_signing"] }, ["allowedUses"]],
  ["validity", { validityPeriodHours: 49 }, ["validityPeriodHours"]],
  ["path length", { maxPathLength: 1 }, ["maxPathLength"]],
  ["key", { privateKeyPem: UNKNOWN }, ["privateKeyPem"]],
])("a change of %s replaces", async (_what, change, replaces) => {
  expect(await plugin.diff(SELF_SIGNED, ca, { ...caInputs, ...change })).toEqual({
    ...{ changes: "some", replaces, diffs: replaces, stables: [], deleteBeforeReplace: false, detailed: undefined },
  });
});

test("the same inputs are no change", async () => {
  expect(await plugin.diff(SELF_SIGNED, ca, caInputs)).toMatchObject({ changes: "none", replaces: [], diffs: [] });
});

test("an earlier renewal updates in place until it is due", async () => {
  const later = { ...caInputs, earlyRenewalHours: 2 };
  expect(await plugin.diff(SELF_SIGNED, ca, later)).toMatchObject({ replaces: [], diffs: ["earlyRenewalHours"] });
  const updated = await plugin.update(SELF_SIGNED, ca, later);
  expect(updated).toMatchObject({ earlyRenewalHours: 2, certPem: ca.outputs["certPem"], id: ca.id });
  expect(await plugin.diff(SELF_SIGNED, ca, { ...caInputs, earlyRenewalHours: 48 })).toMatchObject({
    replaces: ["readyForRenewal"],
    diffs: ["earlyRenewalHours", "readyForRenewal"],
  });
});

test("an authority that is renewed vouches for what the former one signed, and the former one for what it signs", async () => {
  const renewed = await plugin.up(SELF_SIGNED, caInputs);
  expect(parse(renewed).serialNumber).not.toBe(parse(ca).serialNumber);
  for (const signer of [ca, renewed]) {
    const leaf = parse(await plugin.up(SIGNED, { ...leafInputs, caCertPem: signer.outputs["certPem"] }));
    for (const authority of [ca, renewed].map(parse)) {
      expect([leaf.checkIssued(authority), leaf.verify(authority.publicKey)]).toEqual([true, true]);
    }
  }
});

test("a certificate past its end is replaced, and marked by a refresh", async () => {
  const expired = { ...ca, outputs: { ...ca.outputs, validityEndTime: "2020-01-01T00:00:00Z" } };
  expect(await plugin.diff(SELF_SIGNED, expired, caInputs)).toMatchObject({
    changes: "some",
    replaces: ["readyForRenewal"],
    diffs: ["readyForRenewal"],
  });
  const read = await plugin.read(SELF_SIGNED, ca.id, expired.outputs, ca.inputs);
  expect(read!.outputs["readyForRenewal"]).toBe(true);
});

test("a certificate whose renewal is due from the start says so and is replaced next", async () => {
  const inputs = { ...caInputs, earlyRenewalHours: 48 };
  const state = await plugin.up(SELF_SIGNED, inputs);
  expect(state.outputs["readyForRenewal"]).toBe(true);
  expect(await plugin.diff(SELF_SIGNED, state, inputs)).toMatchObject({ replaces: ["readyForRenewal"] });
});

test("a refresh gives back what is in the state, an import is refused", async () => {
  expect(await plugin.read(SELF_SIGNED, ca.id, ca.outputs, ca.inputs)).toEqual(ca);
  await expect(plugin.read(SELF_SIGNED, "123")).rejects.toThrow(
    "Resource Import Not Implemented: This resource does not support import. Please contact the provider developer for " +
      "additional information.",
  );
});

test("what a certificate cannot be is refused in the provider's words", async () => {
  const wrong = { ...caInputs, allowedUses: ["x"], earlyRenewalHours: -1, ipAddresses: [""], maxPathLength: -2 };
  const reasons = (await plugin.check(SELF_SIGNED, wrong)).failures.map(({ reason }) => reason).sort();
  expect(reasons).toEqual([
    "Invalid Attribute Value Length. Attribute ip_addresses[0] string length must be at least 1, got: 0. Examine values " +
      "at 'thing.ipAddresses[0]'.",
    expect.stringMatching(
      /^Invalid Attribute Value Match. Attribute allowed_uses\[0\] value must be one of: \["any_extended" .*, got: "x". Examine values at 'thing.allowedUses\[0\]'.$/,
    ),
    "Invalid Attribute Value. Attribute early_renewal_hours value must be at least 0, got: -1. Examine values at " +
      "'thing.earlyRenewalHours'.",
    "Invalid Attribute Value. Attribute max_path_length value must be at least -1, got: -2. Examine values at " +
      "'thing.maxPathLength'.",
  ]);
});

test("the inputs' keys become secret when they are checked", async () => {
  const { inputs } = await plugin.check(SIGNED, { ...leafInputs, caPrivateKeyPem: caKey });
  expect(inputs["caPrivateKeyPem"]).toEqual(new Secret(caKey));
});

test("nothing of a key is in the messages", () => {
  const body = caKey.split("\n")[1]!;
  expect(plugin.messages.filter(({ text }) => text.includes(body))).toEqual([]);
});
