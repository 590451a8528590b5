import { readEtcd, readDeployment, fetchNamed } from "../../stacks/config.ts";
import { createAuthority } from "../support/certificates.ts";
import { type Made, runStack, setConfig } from "./support.ts";
import * as pulumi from "@pulumi/pulumi";

const known = {
  "tls:index/privateKey:PrivateKey": { privateKeyPem: "KEY", publicKeyPem: "PUBLIC" },
  "tls:index/selfSignedCert:SelfSignedCert": { certPem: "CA", validityEndTime: "2036-01-01T00:00:00Z" },
  "tls:index/certRequest:CertRequest": { certRequestPem: "REQUEST" },
  "tls:index/locallySignedCert:LocallySignedCert": { certPem: "CERT", validityEndTime: "2027-01-01T00:00:00Z" },
  "pulumi-nodejs:dynamic/etcd:EtcdHealth": { clusterId: "c1", members: [] },
  "pulumi-nodejs:dynamic/etcd:EtcdMembership": { memberStates: [] },
  "pulumi-nodejs:dynamic/local:Program": { path: "/store/etcd", sha256: "d".repeat(64) },
  "pulumi-nodejs:dynamic/local:LocalPreparedProcess": { revision: "r" },
};
const made: Made[] = [];
const up = (config: Record<string, unknown>, outputs: object = {}) =>
  runStack(
    { program: "etcd", ...config },
    outputs,
    async () => {
      const { etcdStack } = await import("../../stacks/etcd.ts");
      return etcdStack(await readEtcd());
    },
    made,
    known,
  );

test("an etcd by itself is members on this machine, and what others need of it", async () => {
  const outputs = await up({ placement: { kind: "local", directory: "/data/etcd", basePort: 29500 } });
  expect(outputs).toMatchObject({
    etcd: { clusterId: "c1" },
    etcdClient: { endpoints: expect.arrayContaining([expect.stringMatching(/^https:\/\/127\.0\.0\.1:29\d{3}$/)]) },
    etcdAccess: { deployment: "tested", prefix: "/", dataDirectories: ["/data/etcd"] },
    versions: { "etcd-0": expect.anything() },
  });
  expect((outputs as { etcdClient: object }).etcdClient).not.toHaveProperty("outside");
  const running = made.filter(({ type }) => type.includes("Process")).map(({ type, name }) => `${type} ${name}`);
  expect(running).toEqual([0, 1, 2].map((n) => `pulumi-nodejs:dynamic/local:LocalPreparedProcess tested-etcd-${n}`));
});

test("it keeps the name that it had", async () => {
  await expect(up({ name: "other" }, { etcdClient: {}, etcdAccess: { deployment: "tested" } })).rejects.toThrow(
    /name: got "other", want karmada:name: tested, as the deployment of this stack is called/,
  );
});

test("it does not become of what was a whole deployment", async () => {
  const whole = { joining: { deployment: "tested" }, etcdAccess: { deployment: "tested" } };
  await expect(up({}, whole)).rejects.toThrow('program: got "etcd", want karmada, of which this stack is');
});

test("a control plane reads what the stack of its etcd gives out, and its key is a secret", async () => {
  const { certificate, key } = await createAuthority("etcd");
  const etcdClient = { endpoints: ["https://10.0.0.11:2379"], ca: certificate, certificate, key, clusterId: "c1" };
  const asked: unknown[] = [];
  await pulumi.runtime.setMocks(
    {
      newResource: ({ name, inputs }) => ({ id: name, state: inputs as object }),
      call: ({ token, inputs }) => {
        if (token !== "pulumi:pulumi:readStackOutputs") return inputs as object;
        asked.push((inputs as { name: string }).name);
        return { ...inputs, outputs: { etcdClient } } as object;
      },
    },
    "karmada",
    "tested",
    false,
    "organization",
  );
  setConfig({ etcd: { kind: "external", stack: "shared", prefix: "/registry/tested" } });
  const { etcd } = readDeployment(await fetchNamed());
  expect(asked).toContain("organization/karmada/shared");
  if (etcd.kind !== "external") throw new Error("it is external");
  expect(etcd).toMatchObject({ endpoints: etcdClient.endpoints, prefix: "/registry/tested", clusterId: "c1" });
  expect(await pulumi.isSecret(etcd.key)).toBe(true);
});
