import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { connect, type KubeClient } from "../../lib/kube/client.ts";
import { createAuthority, createServiceAccountKey, type Authority } from "./certificates.ts";
import type { EtcdCluster } from "./etcd.ts";
import { ProgramEnded, type Programs, type Running } from "./running.ts";

/** A real kube-apiserver and kube-controller-manager on this machine. */
export interface Cluster {
  readonly server: string;
  readonly authority: Authority;
  /** Of an administrator. */
  readonly kubeconfig: string;
  readonly client: KubeClient;
  readonly apiServer: Running;
  /** A kubeconfig for a client certificate of that name and group. */
  kubeconfigFor(commonName: string, organization?: string): Promise<string>;
  /** Starts kube-apiserver again after it was killed. */
  restart(): Promise<void>;
}

export interface ClusterOptions {
  readonly name: string;
  /** The API server's port; the next one is kube-controller-manager's. */
  readonly port: number;
  /** Where the API server listens. @default 127.0.0.1 */
  readonly address?: string;
  /** Further names and addresses by which it is reached. @default none */
  readonly hosts?: readonly string[];
  /** Whether it signs certificate requests and takes bootstrap tokens. @default false */
  readonly signs?: boolean;
  /** @default those of a member: everything */
  readonly controllers?: string;
  /** Further flags of kube-apiserver. */
  readonly flags?: Readonly<Record<string, string | number | boolean>>;
  /** Further flags of kube-controller-manager. */
  readonly controllerFlags?: Readonly<Record<string, string | number | boolean>>;
  /** Of both programs, beyond what this process has. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a cluster with a key prefix of its own in `etcd`, and returns when it is ready. */
export async function startCluster(programs: Programs, etcd: EtcdCluster, options: ClusterOptions): Promise<Cluster> {
  const { name, port, address = "127.0.0.1" } = options;
  const write = (file: string, content: string) => programs.write(`${name}/${file}`, content);
  const authority = await createAuthority(name);
  const serviceAccounts = await createServiceAccountKey();
  const server = `https://${address}:${port}`;
  const kubeconfigFor = async (commonName: string, organization?: string) => {
    const leaf = await authority.issue({ commonName, ...(organization === undefined ? {} : { organization }) });
    return kubeconfigOf(server, authority.certificate, leaf);
  };
  const serving = await authority.issue({ commonName: name, hosts: [address, "localhost", ...(options.hosts ?? [])] });
  const ca = write("ca.crt", authority.certificate);
  const privateKey = write("sa.key", serviceAccounts.privateKey);
  const flags = {
    "bind-address": address,
    "secure-port": port,
    "endpoint-reconciler-type": "none",
    "etcd-prefix": `/${name}`,
    "etcd-servers": etcd.endpoints.join(","),
    "etcd-cafile": etcd.files.ca,
    "etcd-certfile": etcd.files.certificate,
    "etcd-keyfile": etcd.files.key,
    "authorization-mode": "RBAC",
    "client-ca-file": ca,
    "service-account-issuer": "https://kubernetes.default.svc.cluster.local",
    "service-account-key-file": write("sa.pub", serviceAccounts.publicKey),
    "service-account-signing-key-file": privateKey,
    "service-cluster-ip-range": "10.97.0.0/16",
    "disable-admission-plugins": "ServiceAccount",
    "tls-cert-file": write("server.crt", serving.certificate),
    "tls-private-key-file": write("server.key", serving.key),
    ...(options.signs && { "enable-bootstrap-token-auth": true }),
    ...options.flags,
  };
  const start = () => programs.start("kube-apiserver", flags, `${name}-kube-apiserver`, options.env);
  let apiServer = await start();
  const kubeconfig = await kubeconfigFor("admin", "system:masters");
  const client = await connect(kubeconfig);
  const answers = () => {
    apiServer.expectRunning();
    return client.request("GET", "/readyz");
  };
  const ready = () =>
    waitFor(`${name} to be ready`, deadlineIn(150), answers, {
      maxInterval: 100,
      fatal: (error) => error instanceof ProgramEnded,
    });
  const controllerManager = write("kcm.kubeconfig", await kubeconfigFor("system:kube-controller-manager"));
  await ready();
  await programs.start(
    "kube-controller-manager",
    {
      kubeconfig: controllerManager,
      "bind-address": "127.0.0.1",
      "secure-port": port + 1,
      "cert-dir": `${programs.directory}/${name}`,
      "root-ca-file": ca,
      "service-account-private-key-file": privateKey,
      "use-service-account-credentials": true,
      "leader-elect": false,
      controllers: options.controllers ?? "*",
      ...(options.signs && {
        "cluster-signing-cert-file": ca,
        "cluster-signing-key-file": write("ca.key", authority.key),
      }),
      ...options.controllerFlags,
    },
    `${name}-kube-controller-manager`,
    options.env,
  );
  return {
    server,
    authority,
    kubeconfig,
    client,
    kubeconfigFor,
    get apiServer() {
      return apiServer;
    },
    async restart() {
      apiServer = await start();
      await ready();
    },
  };
}

/** A kubeconfig with everything embedded. */
export function kubeconfigOf(server: string, ca: string, leaf: { certificate: string; key: string }): string {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "test",
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    clusters: [{ name: "test", cluster: { server, "certificate-authority-data": base64(ca) } }],
    users: [
      {
        name: "test",
        user: { "client-certificate-data": base64(leaf.certificate), "client-key-data": base64(leaf.key) },
      },
    ],
  });
}
