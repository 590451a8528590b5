import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { EtcdClient, type EtcdConnection } from "../../lib/etcd/client.ts";
import { look, type MembershipContext } from "../../lib/etcd/membership/context.ts";
import { outcomeOf, type Outcome } from "../../lib/etcd/membership/outcome.ts";
import { reconcile } from "../../lib/etcd/membership/reconcile.ts";
import type { Desired, Known, Situation } from "../../lib/etcd/membership/situation.ts";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";
import { createAuthority } from "./certificates.ts";
import { TestEtcdRuntime } from "./etcd-runtime.ts";
import { MovedEtcdRuntime } from "./moved-etcd-runtime.ts";
import type { Run } from "./reconcile-process.ts";
import { programPath } from "./programs.ts";
import type { Programs } from "./running.ts";

const program = new URL("reconcile-process.ts", import.meta.url).pathname;

/** How members of a fleet are to be; what is left out is as by default. */
export interface Wanted extends Partial<Pick<Desired, "replace" | "defragment" | "foreignMembers">> {
  /** Version and executable. @default the toolchain's */
  readonly version?: { readonly number: string; readonly command: string };
  /** Flags beyond the usual. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Members by name whose ports are others. */
  readonly shifted?: readonly string[];
  /** Members by name that are on another host from then on, so at other ports too. */
  readonly moved?: readonly string[];
  /** @default https */
  readonly peerScheme?: "http" | "https";
  /** Members trust an authority that has ended, as those do that have run for too long. @default false */
  readonly ended?: boolean;
  /** Members by name that do not come up, since they lack the certificates that their addresses ask for. */
  readonly broken?: readonly string[];
}

/** The directory of the host that members are moved to. */
const otherThan = (directory: string): string => `${directory}-moved`;

type Files = Readonly<Record<"ca" | "ended" | "certificate" | "key", string>>;

/** A cluster that a test declares, and the reconciler keeps. Four ports for each member from `port` on. */
export class EtcdFleet {
  readonly runtime: TestEtcdRuntime;
  /** The host that members are moved to. */
  readonly otherHost: TestEtcdRuntime;
  readonly runtimeDirectory: string;
  readonly connection: EtcdConnection;
  readonly client: EtcdClient;
  /** What the reconciler said it did. */
  readonly said: string[] = [];
  known: Known = { members: [], replaced: {} };
  readonly #port: number;
  readonly #files: Files;
  readonly #etcd: string;
  readonly #flags: Readonly<Record<string, string>>;
  #moved: readonly string[] = [];

  /** @param flags of each member, always */
  static async create(
    programs: Programs,
    port: number,
    flags: Readonly<Record<string, string>> = {},
  ): Promise<EtcdFleet> {
    const authority = await createAuthority("etcd");
    const server = await authority.issue({ commonName: "etcd", hosts: ["127.0.0.1", "localhost"] });
    const files = {
      ca: programs.write("pki/ca.crt", authority.certificate),
      ended: programs.write("pki/former-ca.crt", await authority.former()),
      certificate: programs.write("pki/server.crt", server.certificate),
      key: programs.write("pki/server.key", server.key),
    };
    const leaf = await authority.issue({ commonName: "test" });
    const directory = join(programs.directory, "members");
    mkdirSync(directory);
    mkdirSync(otherThan(directory));
    const connection = { ca: authority.certificate, certificate: leaf.certificate, key: leaf.key };
    return new EtcdFleet(port, directory, connection, files, await programPath("etcd"), flags);
  }

  private constructor(
    port: number,
    directory: string,
    connection: EtcdConnection,
    files: Files,
    etcd: string,
    flags: Readonly<Record<string, string>>,
  ) {
    this.#port = port;
    this.#files = files;
    this.#etcd = etcd;
    this.#flags = flags;
    this.runtimeDirectory = directory;
    this.runtime = new TestEtcdRuntime(directory);
    this.otherHost = new TestEtcdRuntime(otherThan(directory));
    this.connection = connection;
    this.client = new EtcdClient(connection);
  }

  /** Prepares the members, as a placement does, and says what they are to be. */
  declare(members: readonly string[], wanted: Wanted = {}): Desired {
    const {
      version = { number: "3.6.6", command: this.#etcd },
      flags = {},
      shifted = [],
      peerScheme = "https",
      broken = [],
      moved = [],
      ended = false,
    } = wanted;
    this.#moved = moved;
    const {
      replace = {},
      defragment = { fragmentation: 0.45, size: 100 * 2 ** 20 },
      foreignMembers = "refuse",
    } = wanted;
    return {
      token: "test",
      version: version.number,
      replace,
      defragment,
      foreignMembers,
      members: members.map((name) => {
        const first = this.#port + 4 * Number(name.split("-")[1]) + ([...shifted, ...moved].includes(name) ? 2 : 0);
        const [clientUrl, peerUrl] = [`https://127.0.0.1:${first}`, `${peerScheme}://127.0.0.1:${first + 1}`];
        const args = this.#args({ name, clientUrl, peerUrl, peerScheme, flags, broken, ended });
        const host = moved.includes(name) ? this.otherHost : this.runtime;
        return { name, clientUrl, peerUrl, revision: host.prepare(name, { command: version.command, args }) };
      }),
    };
  }

  context(desired: Desired, timeoutSeconds = 30): MembershipContext {
    const { client, runtimeDirectory: before, known, said } = this;
    const isMoved = this.#moved.length > 0;
    const runtime = isMoved ? new MovedEtcdRuntime(before, otherThan(before), this.#moved) : this.runtime;
    return { client, runtime, desired, known, timeoutSeconds, say: (sentence) => said.push(sentence) };
  }

  /** Reconciles in this process and keeps what a state would, also of a run that fails. */
  async reconcile(desired: Desired, timeoutSeconds = 30): Promise<Outcome> {
    let last: Situation | undefined;
    try {
      await reconcile(this.context(desired, timeoutSeconds), (situation) => (last = situation));
    } finally {
      if (last !== undefined) this.known = outcomeOf(last).known;
    }
    return outcomeOf(await look(this.context(desired)));
  }

  /**
   * Reconciles in a process of its own. @param failAt the point at which it dies @param killAfter or after how many milliseconds
   * @param timeoutSeconds what it waits for a member at most
   * @returns what it said, and the signal that ended it
   */
  async reconcileApart(
    desired: Desired,
    failAt = "",
    killAfter?: number,
    timeoutSeconds = 60,
  ): Promise<{ said: string[]; signal?: string }> {
    const { connection, runtimeDirectory, known } = this;
    const file = join(runtimeDirectory, "..", "run.json");
    writeFileSync(
      file,
      JSON.stringify({
        ...{ connection, runtimeDirectory, desired, known, timeoutSeconds },
        ...{ moved: this.#moved, movedDirectory: otherThan(runtimeDirectory) },
      } satisfies Run),
      { mode: 0o600 },
    );
    const { stdout, stderr, signal, exitCode } = await execa(process.execPath, ["--no-warnings", program, file], {
      env: { KARMADA_FAIL_AT: failAt },
      reject: false,
      ...(killAfter !== undefined && { timeout: killAfter, killSignal: "SIGKILL" }),
    });
    if (signal === undefined && exitCode !== 0) throw new Error(stderr);
    return { said: stdout.split("\n").filter(Boolean), ...(signal !== undefined && { signal }) };
  }

  /** Notes what a state would after a run that went well. */
  async note(desired: Desired): Promise<Outcome> {
    const outcome = outcomeOf(await look(this.context(desired)));
    this.known = outcome.known;
    return outcome;
  }

  /** Waits until the members have agreed on this version, as they do every four seconds. */
  async agreesOn(desired: Desired, version: string): Promise<void> {
    await waitFor(`etcd to agree on ${version}`, deadlineIn(20), async () => {
      const { clusterVersion } = (await look(this.context(desired))).facts;
      return clusterVersion === version ? undefined : new Pending(`it is ${clusterVersion}`);
    });
  }

  /** A digest of all data of each member; alike when the members hold the same. */
  async digests(desired: Desired): Promise<string[]> {
    const { facts } = await look(this.context(desired));
    const revision = facts.report.revision;
    return Promise.all(
      facts.report.members.map(async ({ endpoint = "" }) => {
        const { hash } = await this.client.call<{ hash: number }>(endpoint, "maintenance/hashkv", { revision });
        return String(hash);
      }),
    );
  }

  /** Ends everything. */
  async stop(): Promise<void> {
    this.client.close();
    await Promise.all([this.runtime, this.otherHost].map((host) => host.killAll()));
  }

  #args({
    name,
    clientUrl,
    peerUrl,
    peerScheme,
    flags,
    broken = [],
    ended = false,
  }: Record<"name" | "clientUrl" | "peerUrl", string> & Wanted): string[] {
    const { certificate, key } = this.#files;
    const ca = ended ? this.#files.ended : this.#files.ca;
    const peerTls = {
      "peer-client-cert-auth": "true",
      "peer-trusted-ca-file": ca,
      "peer-cert-file": certificate,
      "peer-key-file": key,
    };
    const clientTls = {
      "client-cert-auth": "true",
      "trusted-ca-file": ca,
      "cert-file": certificate,
      "key-file": key,
    };
    const all: Record<string, string> = {
      name,
      "listen-client-urls": clientUrl,
      "advertise-client-urls": clientUrl,
      "listen-peer-urls": peerUrl,
      "initial-advertise-peer-urls": peerUrl,
      ...(broken.includes(name) ? {} : clientTls),
      ...(broken.includes(name) || peerScheme !== "https" ? {} : peerTls),
      ...this.#flags,
      ...flags,
    };
    return Object.entries(all).map(([flag, value]) => `--${flag}=${value}`);
  }
}
