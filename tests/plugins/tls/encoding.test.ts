/** What openssl says of requests and certificates, byte by byte where it matters. */
import { execFileSync } from "node:child_process";
import { Secret } from "../../../toolchain/plugins/server/index.ts";
import type { Properties } from "../../../toolchain/plugins/server/index.ts";
import { startPlugin } from "../support/plugin.ts";
import type { Plugin } from "../support/plugin.ts";

const SELF_SIGNED = "tls:index/selfSignedCert:SelfSignedCert";
let plugin: Plugin;
let inputs: Properties;

const FULL = {
  ...{ country: "DE", province: "p", locality: "Lé", streetAddresses: ["s1", "s2"], postalCode: "1" },
  ...{ organization: "o,+x", organizationalUnit: "ou", commonName: "c n", serialNumber: "5", emailAddress: "a@b" },
};
const DN = 'C=DE,ST=p,L=Lé,street=s1+street=s2,postalCode=1,O="o,+x",OU=ou,CN=c n,serialNumber=5,emailAddress=a@b';

beforeAll(async () => {
  plugin = await startPlugin("tls");
  const key = await plugin.up("tls:index/privateKey:PrivateKey", { algorithm: "ECDSA", ecdsaCurve: "P256" });
  inputs = { privateKeyPem: key.outputs["privateKeyPem"], validityPeriodHours: 24, allowedUses: [], subject: FULL };
});
afterAll(() => plugin[Symbol.asyncDispose]());

function openssl(input: string, ...args: string[]): string {
  const names = args[0] === "asn1parse" ? [] : ["-nameopt", "oneline,-space_eq,-esc_msb,sep_comma_plus,utf8"];
  return execFileSync("openssl", [...args, ...names], { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] });
}
const extensions = async (change: Properties): Promise<string> => {
  const { outputs } = await plugin.up(SELF_SIGNED, { ...inputs, ...change });
  const text = openssl(outputs["certPem"] as string, "x509", "-noout", "-text", "-certopt", "no_sigdump,no_pubkey");
  const start = text.indexOf("X509v3 extensions:");
  return text
    .slice(start)
    .replace(/ *\n */g, "\n")
    .trim();
};

test("every part of a subject is there, in Go's order", async () => {
  const { outputs } = await plugin.up(SELF_SIGNED, inputs);
  const subject = openssl(outputs["certPem"] as string, "x509", "-noout", "-subject").trim();
  expect(subject.replace("subject=", "")).toBe(DN);
});

test("plain texts are PrintableString, others UTF8String, an e-mail address IA5String", async () => {
  const { outputs } = await plugin.up(SELF_SIGNED, inputs);
  const types = openssl(outputs["certPem"] as string, "asn1parse").match(
    /(PRINTABLESTRING|UTF8STRING|IA5STRING) *:.*/g,
  )!;
  const half = types.slice(0, types.length / 2).map((line) => line.replace(/ +:/, ":"));
  expect(half).toContain("PRINTABLESTRING:o,+x");
  expect(half).toContain("UTF8STRING:Lé");
  expect(half).toContain("IA5STRING:a@b");
  expect(half.filter((line) => line.startsWith("UTF8STRING"))).toHaveLength(1);
});

test("an authority has its key identifier, and its path length when it is above 0", async () => {
  const ca = { isCaCertificate: true, allowedUses: ["cert_signing", "crl_signing"] };
  expect(await extensions({ ...ca, maxPathLength: 3 })).toMatch(
    /^X509v3 extensions:\nX509v3 Key Usage: critical\nCertificate Sign, CRL Sign\nX509v3 Basic Constraints: critical\nCA:TRUE, pathlen:3\nX509v3 Subject Key Identifier:\n([0-9A-F]{2}:){19}[0-9A-F]{2}$/,
  );
  expect(await extensions({ ...ca, maxPathLength: 0 })).toContain("\nCA:TRUE\n");
  expect(await extensions({ ...ca, setAuthorityKeyId: true })).toMatch(/X509v3 Authority Key Identifier:/);
});

test("a path length without an authority, and an authority's identifier without one, are refused", async () => {
  await expect(plugin.up(SELF_SIGNED, { ...inputs, maxPathLength: 3 })).rejects.toThrow(
    "Failed to create certificate: x509: only CAs are allowed to specify MaxPathLen",
  );
  await expect(plugin.up(SELF_SIGNED, { ...inputs, setAuthorityKeyId: true })).rejects.toThrow(
    "Invalid Certificate Authority: Could not determine Authority Key Identifier",
  );
});

test("uses keep their order, and bits nobody asked for are off", async () => {
  expect(await extensions({ allowedUses: ["client_auth", "decipher_only", "server_auth", "key_agreement"] })).toBe(
    [
      "X509v3 extensions:",
      "X509v3 Key Usage: critical",
      "Key Agreement, Decipher Only",
      "X509v3 Extended Key Usage:",
      "TLS Web Client Authentication, TLS Web Server Authentication",
      "X509v3 Basic Constraints: critical",
      "CA:FALSE",
    ].join("\n"),
  );
});

test("names are critical where there is no subject, and an IPv4 address stays one", async () => {
  expect(
    await extensions({
      subject: null,
      dnsNames: ["x"],
      ipAddresses: ["::ffff:1.2.3.4", "::1"],
      uris: ["spiffe://a/b"],
    }),
  ).toContain(
    "X509v3 Subject Alternative Name: critical\n" +
      "DNS:x, IP Address:1.2.3.4, IP Address:0:0:0:0:0:0:0:1, URI:spiffe://a/b",
  );
});

test("a request is signed by its key and asks for its names", async () => {
  const { outputs } = await plugin.up("tls:index/certRequest:CertRequest", {
    ...{ privateKeyPem: inputs["privateKeyPem"]!, subject: FULL, dnsNames: ["a"], ipAddresses: ["10.0.0.1"] },
  });
  const text = openssl(outputs["certRequestPem"] as string, "req", "-noout", "-text", "-verify");
  expect(text).toContain("DNS:a, IP Address:10.0.0.1");
  expect(
    openssl(outputs["certRequestPem"] as string, "req", "-noout", "-subject")
      .trim()
      .replace("subject=", ""),
  ).toBe(DN);
  expect(outputs).toMatchObject({ keyAlgorithm: "ECDSA", id: expect.stringMatching(/^[0-9a-f]{40}$/) });
  expect(outputs["privateKeyPem"]).toBeInstanceOf(Secret);
});
