import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createAuthority, createServiceAccountKey, type Authority, type Leaf } from "./certificates.ts";
import { kubeconfigOf } from "./cluster.ts";
import { Programs, type Running } from "./running.ts";

/** A real kube-apiserver with its etcd on loopback. */
export interface ApiServer {
  /** An administrator's, everything embedded. */
  readonly kubeconfig: string;
  readonly url: string;
  /** Of its etcd. */
  readonly etcd: string;
  readonly server: Running;
  /** Starts a further program with the server's files removed when it stops, for instance kwok. */
  readonly programs: Programs;
  /** Ends what was started and removes its files. */
  stop(): Promise<void>;
}

const READY_DEADLINE_MS = 90_000;

export interface ApiServerOptions {
  /** Also starts kube-controller-manager. @default false */
  readonly controllerManager?: boolean;
  /** Further flags of kube-apiserver. @default none */
  readonly flags?: Readonly<Record<string, string>>;
  /** Of another, whose data it has too. @default one of its own */
  readonly etcd?: string;
  /** Whether to wait until it serves. @default true */
  readonly ready?: boolean;
}

/** Starts one on free ports. */
export async function startApiServer({
  controllerManager = false,
  flags,
  etcd: shared,
  ready = true,
}: ApiServerOptions = {}): Promise<ApiServer> {
  const directory = mkdtempSync(join(tmpdir(), "api-server-"));
  const programs = new Programs(directory);
  const stop = async () => {
    await programs.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const authority = await createAuthority("test");
    const admin = await authority.issue({ commonName: "admin", organization: "system:masters" });
    const etcd = shared ?? (await startEtcd(programs));
    const { url, server } = await startServer(programs, authority, etcd, flags);
    const kubeconfig = kubeconfigOf(url, authority.certificate, admin);
    if (ready) await waitUntilReady(programs, url, authority, admin);
    if (controllerManager) await startControllerManager(programs, kubeconfig);
    return { kubeconfig, url, etcd, server, programs, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startEtcd(programs: Programs): Promise<string> {
  const [client, peer] = await freePorts(2);
  const etcd = `http://127.0.0.1:${client}`;
  await programs.start("etcd", {
    "data-dir": join(programs.directory, "etcd"),
    "listen-client-urls": etcd,
    "advertise-client-urls": etcd,
    "listen-peer-urls": `http://127.0.0.1:${peer}`,
    "unsafe-no-fsync": true,
    "log-level": "warn",
  });
  return etcd;
}

async function startServer(
  programs: Programs,
  authority: Authority,
  etcd: string,
  flags: ApiServerOptions["flags"],
): Promise<{ url: string; server: Running }> {
  const [port] = await freePorts(1);
  const serving = await authority.issue({ commonName: "kube-apiserver", hosts: ["127.0.0.1"] });
  const tokens = await createServiceAccountKey();
  const server = await programs.start("kube-apiserver", {
    "bind-address": "127.0.0.1",
    "secure-port": port!,
    "endpoint-reconciler-type": "none",
    "etcd-servers": etcd,
    "authorization-mode": "RBAC",
    "client-ca-file": programs.write("ca.crt", authority.certificate),
    "service-account-issuer": "https://kubernetes.default.svc",
    "service-account-key-file": programs.write("sa.pub", tokens.publicKey),
    "service-account-signing-key-file": programs.write("sa.key", tokens.privateKey),
    "service-cluster-ip-range": "10.96.0.0/16",
    "tls-cert-file": programs.write("server.crt", serving.certificate),
    "tls-private-key-file": programs.write("server.key", serving.key),
    ...flags,
  });
  return { url: `https://127.0.0.1:${port}`, server };
}

async function startControllerManager(programs: Programs, kubeconfig: string): Promise<void> {
  const [port] = await freePorts(1);
  await programs.start("kube-controller-manager", {
    kubeconfig: programs.write("kubeconfig", kubeconfig),
    "bind-address": "127.0.0.1",
    "secure-port": port!,
    "cert-dir": programs.directory,
    "leader-elect": false,
    "service-account-private-key-file": join(programs.directory, "sa.key"),
    "root-ca-file": join(programs.directory, "ca.crt"),
  });
}

async function waitUntilReady(programs: Programs, url: string, { certificate }: Authority, admin: Leaf): Promise<void> {
  const options = { ca: certificate, cert: admin.certificate, key: admin.key };
  const deadline = Date.now() + READY_DEADLINE_MS;
  for (let last = ""; ; await sleep(200)) {
    last = await readyz(url, options).catch((error: Error) => error.message);
    if (last === "200") return;
    if (Date.now() < deadline) continue;
    throw new Error(
      `kube-apiserver: not ready within ${READY_DEADLINE_MS} ms: ${last}\n${programs.log("kube-apiserver")}`,
    );
  }
}

function readyz(url: string, options: { ca: string; cert: string; key: string }): Promise<string> {
  return new Promise((resolve, reject) =>
    request(`${url}/readyz`, { ...options, agent: false, timeout: 5000 }, (response) => {
      response.resume();
      resolve(String(response.statusCode));
    })
      .once("error", reject)
      .end(),
  );
}

/**
 * Ports nobody listens on now, above those from which Linux takes one for each connection that is made (ip(7), 32768 to 60999):
 * such a connection would have one of these before its server has.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(61_000, 65_536);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
      .once("error", () => resolve(false))
      .listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
