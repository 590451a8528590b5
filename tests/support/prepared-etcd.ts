import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { EtcdClient, encode } from "../../lib/etcd/client.ts";
import { etcdHealth } from "../../lib/etcd/health.ts";
import { EtcdKeys } from "../../lib/etcd/keys.ts";
import { runtimeAt } from "../../lib/etcd/runtime/at.ts";
import type { EtcdRuntime, EtcdRuntimeAddress } from "../../lib/etcd/runtime/runtime.ts";
import { initialClusterOf, type RestoredMember } from "../../lib/restore/token.ts";
import { writeAtomically } from "../../lib/atomic-file.ts";
import { listProcesses, removeAll } from "../../lib/supervisor/client.ts";
import { writePrepared } from "../../lib/supervisor/prepared.ts";
import { processPaths } from "../../lib/supervisor/process-paths.ts";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { createAuthority, type Authority } from "./certificates.ts";
import { programPath } from "./programs.ts";
import { sweptAtLast } from "./swept.ts";

/** Members of a real etcd as the local placement prepares them, with TLS on both sides, below a real supervisor. */
export class PreparedEtcd {
  readonly directory = join(realpathSync(mkdtempSync(join(tmpdir(), "prepared-etcd-"))), "dev");
  readonly address: EtcdRuntimeAddress = { kind: "local", directory: this.directory };
  readonly runtime: EtcdRuntime = runtimeAt(this.address);
  readonly connection: { readonly ca: string; readonly certificate: string; readonly key: string };
  readonly client: EtcdClient;
  readonly #authority: Authority;
  readonly #program: string;
  members: readonly RestoredMember[] = [];

  private constructor(authority: Authority, leaf: { certificate: string; key: string }, program: string) {
    sweptAtLast(dirname(this.directory));
    this.#authority = authority;
    this.#program = program;
    this.connection = { ca: authority.certificate, ...leaf };
    this.client = new EtcdClient(this.connection);
  }

  /** Prepares members on ports from `port` on, two each; nothing runs yet. */
  static async create(port: number, size = 3): Promise<PreparedEtcd> {
    const authority = await createAuthority("etcd");
    const leaf = await authority.issue({ commonName: "test" });
    const etcd = new PreparedEtcd(authority, leaf, await programPath("etcd"));
    await etcd.prepare(port, size);
    return etcd;
  }

  /** Prepares them for these ports. @param first number of the first one's name */
  async prepare(port: number, size = 3, first = 0): Promise<void> {
    const server = await this.#authority.issue({ commonName: "etcd", hosts: ["127.0.0.1", "localhost"] });
    this.members = Array.from({ length: size }, (_, i) => ({
      name: `etcd-${first + i}`,
      clientUrl: `https://127.0.0.1:${port + 2 * i}`,
      peerUrl: `https://127.0.0.1:${port + 2 * i + 1}`,
    }));
    for (const member of this.members) this.#prepare(member, server);
  }

  /** Starts all of them as a new cluster. */
  async start(token = "first"): Promise<void> {
    const initialCluster = initialClusterOf(this.members);
    await Promise.all(
      this.members.map(({ name }) => this.runtime.start(name, { token, state: "new", initialCluster, incarnation: 1 })),
    );
    await this.clusterId();
  }

  /** Waits until every member is healthy. */
  async clusterId(): Promise<string> {
    const endpoints = this.members.map(({ clientUrl }) => clientUrl);
    return waitFor("the members", deadlineIn(30), async () => {
      const { clusterId, members } = await etcdHealth(this.client, endpoints);
      if (members.some(({ healthy }) => !healthy)) throw new Error(JSON.stringify(members));
      return clusterId;
    });
  }

  keys(member = 0): EtcdKeys {
    return new EtcdKeys(this.client, this.members[member]?.clientUrl ?? "");
  }

  /** Writes so many keys below a prefix, and gives what was written. */
  async write(prefix: string, count: number): Promise<string[]> {
    const names = Array.from({ length: count }, (_, i) => `${prefix}/${String(i).padStart(4, "0")}`);
    const endpoint = this.members[0]?.clientUrl ?? "";
    const put = (name: string) =>
      this.client.call(endpoint, "kv/put", { key: encode(name), value: encode(`value of ${name}`) }, 30_000);
    for (let i = 0; i < names.length; i += 20) await Promise.all(names.slice(i, i + 20).map(put));
    return names;
  }

  /** A file with a snapshot of a member, by etcd's own client. */
  async save(name: string): Promise<string> {
    const path = join(this.directory, "..", name);
    const file = (key: string, content: string) => {
      const at = join(this.directory, "..", key);
      writeAtomically(at, content);
      return at;
    };
    const { ca, certificate, key } = this.connection;
    await promisify(execFile)(await programPath("etcdctl"), [
      `--endpoints=${this.members.at(-1)?.clientUrl}`,
      `--cacert=${file("ca.crt", ca)}`,
      `--cert=${file("client.crt", certificate)}`,
      `--key=${file("client.key", key)}`,
      "snapshot",
      "save",
      path,
    ]);
    return path;
  }

  /** Process ids by member, of those that run. */
  async pids(): Promise<Record<string, number>> {
    const found = (await listProcesses(this.directory)) ?? [];
    return Object.fromEntries(
      found.flatMap(({ description, running }) => (running ? [[description.name, running.pid]] : [])),
    );
  }

  /** As if its disk was lost: the program is gone, and all of its data. */
  async lose(member: string): Promise<void> {
    await this.runtime.stop(member);
    rmSync(processPaths({ directory: this.directory, name: member }).data, { recursive: true, force: true });
  }

  async remove(): Promise<void> {
    this.client.close();
    await removeAll(this.directory, 0);
    rmSync(join(this.directory, ".."), { recursive: true, force: true });
  }

  #prepare(
    { name, clientUrl, peerUrl }: RestoredMember,
    { certificate, key }: { certificate: string; key: string },
  ): void {
    const paths = processPaths({ directory: this.directory, name });
    mkdirSync(paths.own, { recursive: true, mode: 0o700 });
    writeAtomically(paths.file("ca.crt"), this.#authority.certificate);
    writeAtomically(paths.file("tls.crt"), certificate);
    writeAtomically(paths.file("tls.key"), key);
    const tls = (side: string) => [
      `--${side}client-cert-auth=true`,
      `--${side}trusted-ca-file=${paths.file("ca.crt")}`,
      `--${side}cert-file=${paths.file("tls.crt")}`,
      `--${side}key-file=${paths.file("tls.key")}`,
    ];
    writePrepared(this.directory, {
      name,
      command: this.#program,
      args: [
        `--name=${name}`,
        `--listen-client-urls=${clientUrl}`,
        `--advertise-client-urls=${clientUrl}`,
        `--listen-peer-urls=${peerUrl}`,
        `--initial-advertise-peer-urls=${peerUrl}`,
        ...tls(""),
        ...tls("peer-"),
      ],
      env: { GOMAXPROCS: "1" },
      workingDirectory: paths.own,
      log: paths.log,
      ports: [],
      stopSeconds: 5,
      revision: clientUrl,
    });
  }
}
