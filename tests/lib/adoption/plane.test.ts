import { readAdministrator, readPlane } from "../../../lib/adoption/plane.ts";
import type { KubeObject } from "../../../lib/kube/client.ts";
import { createAuthority, type Authority, type Leaf } from "../../support/certificates.ts";
import { FakeHost } from "./fake-host.ts";
import { chart, type Installer, karmadactl, operator, workloadsOf } from "./installers.ts";

const namespace = "karmada-system";
let ca: Authority;
let front: Authority;
let etcdCa: Authority;
let serving: Leaf;
let leaf: Leaf;

beforeAll(async () => {
  [ca, front, etcdCa] = await Promise.all([
    createAuthority("karmada"),
    createAuthority("front"),
    createAuthority("etcd"),
  ]);
  serving = await ca.issue({
    commonName: "karmada-apiserver",
    hosts: ["localhost", "karmada.example.org", "10.0.0.7", "127.0.0.1"],
  });
  leaf = await etcdCa.issue({ commonName: "etcd-client" });
});

const encoded = (data: Readonly<Record<string, string>>): KubeObject => ({
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString("base64")])),
});

/** A host cluster with a plane of an installer. @param withFrontKey whether the front proxy's key is kept there */
function hostOf(
  installer: Installer,
  { withFrontKey = true, more = {} }: { withFrontKey?: boolean; more?: Record<string, string[]> } = {},
): FakeHost {
  const { deployments, statefulsets } = workloadsOf(installer, more);
  const { files, secret, etcdSecret, kubeconfig } = installer;
  const ofEtcd = {
    [`${files.etcdCa}.crt`]: files.etcdCa === files.ca ? ca.certificate : etcdCa.certificate,
    ...(files.etcdClient === files.serving
      ? {}
      : { [`${files.etcdClient}.crt`]: leaf.certificate, [`${files.etcdClient}.key`]: leaf.key }),
  };
  const own = {
    [`${files.ca}.crt`]: ca.certificate,
    [`${files.ca}.key`]: ca.key,
    [`${files.serving}.crt`]: serving.certificate,
    "karmada.key": serving.key,
    "front-proxy-ca.crt": front.certificate,
    ...(withFrontKey && { "front-proxy-ca.key": front.key }),
  };
  const secrets = {
    [secret]: encoded(etcdSecret === secret ? { ...ofEtcd, ...own } : own),
    ...(etcdSecret !== secret && { [etcdSecret]: encoded(ofEtcd) }),
    [kubeconfig.secret]: encoded({ [kubeconfig.subPath ?? "karmada.config"]: "the kubeconfig" }),
  };
  const service = {
    metadata: { name: installer.names.apiserver },
    spec: { type: "NodePort", selector: { app: installer.names.apiserver }, ports: [{ port: 5443, nodePort: 32443 }] },
  };
  const at = (group: string, kind: string, objects: readonly KubeObject[]) =>
    objects.map((object) => [`${group}/namespaces/${namespace}/${kind}/${object.metadata?.name}`, object]);
  return new FakeHost(
    Object.fromEntries([
      ...at("/apis/apps/v1", "deployments", deployments),
      ...at("/apis/apps/v1", "statefulsets", statefulsets),
      ...at("/api/v1", "services", [{ metadata: { name: "other" }, spec: {} }, service]),
      ...Object.entries(secrets).map(([name, object]) => [`/api/v1/namespaces/${namespace}/secrets/${name}`, object]),
    ]) as Record<string, KubeObject>,
  );
}

test.each([
  ["karmadactl init", karmadactl],
  ["the Helm chart", chart],
  ["karmada-operator", operator],
])(
  "a plane of %s is read: its authorities, the key of its tokens, its names, how it is reached",
  async (maker, installer) => {
    const { client } = hostOf(installer);
    const plane = await readPlane(client, namespace);
    expect(plane).toMatchObject({
      maker,
      authorities: {
        karmada: { certificate: ca.certificate, key: ca.key },
        "front-proxy": { certificate: front.certificate, key: front.key },
      },
      serviceAccountKey: serving.key,
      names: ["karmada.example.org", "10.0.0.7"],
      clusterDomain: "cluster.local",
      kubeconfig: "the kubeconfig",
      service: { metadata: { name: installer.names.apiserver } },
    });
    expect(plane.etcd.workload.name).toBe(installer.names.etcd);
  },
);

test("the chart keeps no key of the front proxy's authority: one is made", async () => {
  const { client } = hostOf(chart, { withFrontKey: false });
  expect(Object.keys((await readPlane(client, namespace)).authorities)).toEqual(["karmada"]);
});

test("what cannot be taken over is refused with the reason", async () => {
  const refusing = (more: Record<string, string[]>) => readPlane(hostOf(karmadactl, { more }).client, namespace);
  await expect(readPlane(new FakeHost({}).client, namespace)).rejects.toThrow(
    "namespace karmada-system of https://host:6443: no kube-apiserver runs there, want a Karmada: name its namespace with --namespace",
  );
  await expect(refusing({ "karmada-apiserver": ["--etcd-prefix=/fleet"] })).rejects.toThrow(
    "its keys are below /fleet in etcd, want /registry: a restore cannot move them",
  );
  await expect(refusing({ "karmada-apiserver": ["--encryption-provider-config=/etc/x.yaml"] })).rejects.toThrow(
    "its secrets are encrypted in etcd (--encryption-provider-config), decrypt them there first",
  );
  const missing = hostOf(karmadactl);
  missing.objects.delete(`/apis/apps/v1/namespaces/${namespace}/statefulsets/etcd`);
  await expect(readPlane(missing.client, namespace)).rejects.toThrow(
    /its etcd is not there but at https:\/\/etcd-client/,
  );
});

test("a certificate that cannot be read is named with its Secret", async () => {
  const host = hostOf(karmadactl);
  const { secret, files } = karmadactl;
  const path = `/api/v1/namespaces/${namespace}/secrets/${secret}`;
  const { data } = host.objects.get(path) as { data: Record<string, string> };
  const key = `${files.serving}.crt`;
  host.objects.set(path, { data: { ...data, [key]: Buffer.from("not PEM").toString("base64") } });
  await expect(readPlane(host.client, namespace)).rejects.toThrow(
    `Secret ${namespace}/${secret}: reading ${key}, which karmada-apiserver serves or trusts (--tls-cert-file): no certificate in PEM; correct it there first`,
  );
});

test("who goes on where it is may have its etcd elsewhere: only the API server and a way to log in are needed", async () => {
  const { objects } = hostOf(karmadactl);
  const { client } = new FakeHost(Object.fromEntries([...objects].filter(([path]) => !path.includes("statefulsets"))));
  await expect(readPlane(client, namespace)).rejects.toThrow("its etcd is not there");
  const { maker, apiserver, kubeconfig } = await readAdministrator(client, namespace);
  expect([maker, apiserver.name, kubeconfig]).toEqual(["karmadactl init", "karmada-apiserver", "the kubeconfig"]);
  await expect(readAdministrator(new FakeHost({}).client, namespace)).rejects.toThrow("no kube-apiserver runs there");
});
