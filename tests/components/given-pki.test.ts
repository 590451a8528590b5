import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { createAuthority } from "../support/certificates.ts";
import { fakePlacement } from "./support/fake-placement.ts";
import { ofPki, settled, valueOf, withMocks } from "./support/mocks.ts";
import { controlPlaneProcess } from "./support/processes.ts";

const registered = await withMocks({
  ...ofPki,
});
const pulumi = await import("@pulumi/pulumi");
const { Pki } = await import("../../components/pki.ts");

const corporate = await createAuthority("corporate");
const tokens = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const serviceAccountKey = tokens.export({ format: "pem", type: "pkcs8" }).toString();
const [apiserver, manager] = [controlPlaneProcess("karmada-apiserver"), controlPlaneProcess("kube-controller-manager")];
const pki = new Pki("prod-pki", {
  lifetimes: { authorityHours: 87600, leafHours: 8760, renewBeforeHours: 720 },
  processes: [apiserver, manager],
  requests: [],
  placement: fakePlacement(),
  given: {
    authorities: { karmada: { certificate: corporate.certificate, key: pulumi.secret(corporate.key) } },
    serviceAccountKey: pulumi.secret(serviceAccountKey),
  },
});
await settled();

const named = (name: string) => registered.find((resource) => resource.name === name);
const contents = pki.fileContents(manager);

test("no authority and no key is made where one is given", () => {
  expect(named("prod-pki-ca-karmada")).toBeUndefined();
  expect(named("prod-pki-ca-karmada-key")).toBeUndefined();
  expect(named("prod-pki-sa-karmada")).toBeUndefined();
  expect(named("prod-pki-ca-front-proxy")).toBeDefined();
});

test("the authority that is given signs, is trusted, and its end is known", async () => {
  const { certificate, key } = corporate;
  expect(named("prod-pki-apiserver")?.inputs).toMatchObject({
    caCertPem: certificate,
    caPrivateKeyPem: { value: key },
  });
  expect(await valueOf(pki.trust("karmada"))).toBe(certificate);
  const { validToDate } = new X509Certificate(certificate);
  const { "ca-karmada": end } = (await valueOf(pki.expiries)) as Record<string, string>;
  expect(end).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  expect(Date.parse(end!)).toBe(Math.floor(validToDate.getTime() / 1000) * 1000);
});

test("the key that is given signs tokens, and is secret; what is public of it is not", async () => {
  const files = pki.fileContents(apiserver);
  const [secret, open] = [pulumi.output(files["pki/sa.key"]!), pulumi.output(files["pki/sa.pub"]!)];
  expect(await pulumi.isSecret(secret)).toBe(true);
  expect(await pulumi.isSecret(open)).toBe(false);
  expect(createPrivateKey((await valueOf(secret)) as string).equals(tokens)).toBe(true);
  expect(createPublicKey((await valueOf(open)) as string).equals(createPublicKey(tokens))).toBe(true);
  expect(await valueOf(pki.identity)).toMatch(/^SHA256:/);
});

test("whoever signs requests has the key of the authority that is given", async () => {
  expect(await valueOf(pulumi.output(contents["pki/ca.key"]!))).toBe(corporate.key);
});

test("what is trusted beside it is trusted and does not sign", async () => {
  const { certificate, key } = corporate;
  const alsoTrusted = (await createAuthority("former")).certificate;
  const beside = new Pki("beside-pki", {
    lifetimes: { authorityHours: 87600, leafHours: 8760, renewBeforeHours: 720 },
    processes: [apiserver, manager],
    requests: [],
    placement: fakePlacement(),
    given: { authorities: { karmada: { certificate, key, alsoTrusted } } },
  });
  await settled();
  const both = [certificate, alsoTrusted].map((pem) => `${pem.trimEnd()}\n`).join("");
  expect(await valueOf(beside.trust("karmada"))).toBe(both);
  expect(await valueOf(pulumi.output(beside.fileContents(apiserver)["pki/ca.crt"]!))).toBe(both);
  expect(named("beside-pki-apiserver")?.inputs).toMatchObject({ caCertPem: certificate });
});
