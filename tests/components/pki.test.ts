import { X509Certificate } from "node:crypto";
import { parse } from "yaml";
import { createAuthority } from "../support/certificates.ts";
import { fakePlacement } from "./support/fake-placement.ts";
import { settled, valueOf, withMocks } from "./support/mocks.ts";
import { controlPlaneProcess, etcdProcess, simulatedProcess } from "./support/processes.ts";

const registered = await withMocks({
  "tls:index/privateKey:PrivateKey": () => ({ privateKeyPem: "KEY", publicKeyPem: "PUBLIC" }),
  "tls:index/selfSignedCert:SelfSignedCert": ({ subject }) => ({
    certPem: `CA ${(subject as { commonName: string }).commonName}`,
    validityEndTime: "2036-01-01T00:00:00Z",
  }),
  "tls:index/certRequest:CertRequest": ({ subject }) => ({
    certRequestPem: `REQUEST ${(subject as { commonName: string }).commonName}`,
  }),
  "tls:index/locallySignedCert:LocallySignedCert": ({ certRequestPem }) => ({
    certPem: `CERT of ${String(certRequestPem)}`,
    validityEndTime: "2027-01-01T00:00:00Z",
  }),
});
const pulumi = await import("@pulumi/pulumi");
const { Pki } = await import("../../components/pki.ts");

const scheduler = controlPlaneProcess("karmada-scheduler");
const apiserver = controlPlaneProcess("karmada-apiserver");
const pki = new Pki("prod-pki", {
  lifetimes: { authorityHours: 87600, leafHours: 8760, renewBeforeHours: 720 },
  processes: [etcdProcess("etcd-0"), apiserver, scheduler, simulatedProcess("m1-kube-apiserver")],
  requests: [
    {
      name: "admin",
      authority: "karmada",
      commonName: "system:admin",
      organization: "system:masters",
      usages: ["client"],
    },
  ],
  placement: fakePlacement(),
});
const contents = async (process: typeof scheduler) =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(pki.fileContents(process)).map(async ([path, content]) => [
        path,
        await valueOf(pulumi.output(content)),
      ]),
    ),
  );
await settled();

const named = (name: string) => registered.find((resource) => resource.name === name);

describe("Pki", () => {
  test("makes each authority once, and only those that somebody asks for", () => {
    const authorities = registered.filter(({ type }) => type === "tls:index/selfSignedCert:SelfSignedCert");
    expect(authorities.map(({ name, inputs }) => [name, inputs.subject.commonName])).toEqual([
      ["prod-pki-ca-etcd", "etcd-ca"],
      ["prod-pki-ca-etcd-peer", "etcd-peer-ca"],
      ["prod-pki-ca-karmada", "karmada-ca"],
      ["prod-pki-ca-front-proxy", "front-proxy-ca"],
      ["prod-pki-ca-member-m1", "member-m1-ca"],
      ["prod-pki-ca-simulated-etcd", "simulated-etcd-ca"],
    ]);
  });

  test("an authority may sign and nothing else, and is renewed before a certificate could outlive it", () => {
    expect(named("prod-pki-ca-karmada")?.inputs).toMatchObject({
      isCaCertificate: true,
      setSubjectKeyId: true,
      allowedUses: ["cert_signing", "crl_signing", "digital_signature"],
      validityPeriodHours: 87600,
      earlyRenewalHours: 8760,
    });
  });

  test("every key is ECDSA P-256, none is shared, all are children of the Pki", () => {
    const keys = registered.filter(({ type }) => type === "tls:index/privateKey:PrivateKey");
    expect(new Set(keys.map(({ inputs }) => `${inputs.algorithm} ${inputs.ecdsaCurve}`))).toEqual(
      new Set(["ECDSA P256"]),
    );
    expect(new Set(keys.map(({ parent }) => parent))).toEqual(new Set(["prod-pki"]));
    expect(keys.map(({ name }) => name)).toEqual([...new Set(keys.map(({ name }) => name))]);
    expect(keys.map(({ name }) => name)).toContain("prod-pki-sa-karmada");
  });

  test("a serving certificate has its names and addresses apart, and is renewed early", () => {
    expect(named("prod-pki-apiserver-request")?.inputs).toMatchObject({
      subject: { commonName: "karmada-apiserver" },
      dnsNames: ["karmada-apiserver.test", "kubernetes.default.svc", "localhost"],
      ipAddresses: ["10.96.0.1", "127.0.0.1"],
    });
    expect(named("prod-pki-apiserver")?.inputs).toMatchObject({
      allowedUses: ["digital_signature", "server_auth"],
      validityPeriodHours: 8760,
      earlyRenewalHours: 720,
      caCertPem: "CA karmada-ca",
    });
  });

  test("the administrator's group is in its certificate", () => {
    expect(named("prod-pki-admin-request")?.inputs.subject).toEqual({
      commonName: "system:admin",
      organization: "system:masters",
    });
  });

  test("a kubeconfig embeds the component's own identity", async () => {
    const { "karmada.config": kubeconfig } = await contents(scheduler);
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    expect(parse(kubeconfig as string)).toEqual({
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        {
          name: "karmada",
          cluster: {
            server: "https://karmada-apiserver.test:6443",
            "certificate-authority-data": base64("CA karmada-ca"),
          },
        },
      ],
      users: [
        {
          name: "karmada-scheduler",
          user: {
            "client-certificate-data": base64("CERT of REQUEST system:karmada:karmada-scheduler"),
            "client-key-data": base64("KEY"),
          },
        },
      ],
      contexts: [{ name: "karmada-scheduler@karmada", context: { cluster: "karmada", user: "karmada-scheduler" } }],
      "current-context": "karmada-scheduler@karmada",
    });
  });

  test("files have the names Kubernetes gives them", async () => {
    expect(await contents(apiserver)).toEqual({
      "pki/apiserver-etcd-client.crt": "CERT of REQUEST system:karmada:karmada-apiserver-etcd-client",
      "pki/apiserver-etcd-client.key": "KEY",
      "pki/apiserver.crt": "CERT of REQUEST karmada-apiserver",
      "pki/apiserver.key": "KEY",
      "pki/ca.crt": "CA karmada-ca",
      "pki/etcd/ca.crt": "CA etcd-ca",
      "pki/front-proxy-ca.crt": "CA front-proxy-ca",
      "pki/front-proxy-client.crt": "CERT of REQUEST front-proxy-client",
      "pki/front-proxy-client.key": "KEY",
      "pki/sa.key": "KEY",
      "pki/sa.pub": "PUBLIC",
    });
  });

  test("keys are secret, certificates are not", async () => {
    const files = pki.fileContents(apiserver);
    const secret = (path: string) => pulumi.isSecret(pulumi.output(files[path]));
    expect(await secret("pki/apiserver.key")).toBe(true);
    expect(await secret("pki/sa.key")).toBe(true);
    expect(await secret("pki/apiserver.crt")).toBe(false);
    expect(await secret("pki/ca.crt")).toBe(false);
  });

  test("tells when each certificate and authority ends", async () => {
    expect(await valueOf(pki.expiries)).toMatchObject({
      "ca-karmada": "2036-01-01T00:00:00Z",
      admin: "2027-01-01T00:00:00Z",
      "etcd-0-peer": "2027-01-01T00:00:00Z",
    });
  });

  test("tells when a certificate ends that others issued, which nothing here renews", async () => {
    const authority = await createAuthority("theirs");
    const theirs = await authority.issue({ commonName: "karmada" });
    const imported = { authorities: { etcd: authority.certificate }, certificates: { "etcd-client": theirs } };
    const { expiries } = new Pki("of-others", { ...ofOthers, imported, requests: [] });
    const ends = new Date(new X509Certificate(theirs.certificate).validTo).toISOString().replace(".000Z", "Z");
    expect(await valueOf(expiries)).toEqual({ "etcd-client": ends });
  });

  test("what others issued is used as it is and never signed with", () => {
    const given = { ...ofOthers, imported: { authorities: { etcd: "THEIR CA" }, certificates: {} } };
    const request = { name: "x", authority: "etcd", commonName: "x", usages: ["client"] as const };
    expect(() => new Pki("foreign", { ...given, requests: [request] })).toThrow(
      'x: the authority "etcd" is not ours to sign with',
    );
  });
});

/** A PKI that issues nothing by itself. */
const ofOthers = {
  lifetimes: { authorityHours: 1, leafHours: 1, renewBeforeHours: 1 },
  processes: [],
  placement: fakePlacement(),
};
