import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { execa } from "execa";
import { encode, endOfPrefix, type EtcdClient, type EtcdConnection } from "../etcd/client.ts";
import { DirectEtcdClient } from "../etcd/direct/client.ts";
import { deadlineIn, messageOf, waitFor } from "../wait.ts";
import { rootCertificate } from "./root-certificate.ts";
import { type EtcdTools, run } from "./tools.ts";

/** What a drill found in the restored database. */
export interface DrillResult {
  /** Live keys below the prefix. */
  readonly keys: number;
  readonly revision: string;
  readonly seconds: number;
}

export interface DrillOptions {
  /** Temporary place of the restored database; needs about twice its size. */
  readonly scratch: string;
  /** Prefix of the keys that have to be there. */
  readonly keyPrefix: string;
  /** How many at least. */
  readonly least: number;
  /** For the restore, and again for the start. */
  readonly seconds: number;
}

/**
 * Actually restores a plain snapshot file: into a directory of its own, with a single, private etcd on loopback; asks
 * it for the keys, stops it, and removes everything again.
 *
 * @throws when it does not come up, or holds fewer keys below the prefix
 */
export async function drill(tools: EtcdTools, file: string, options: DrillOptions): Promise<DrillResult> {
  const { scratch, keyPrefix, least, seconds } = options;
  const started = performance.now();
  const directory = await mkdtemp(join(scratch, "drill-"));
  try {
    const data = join(directory, "data");
    await run(tools.etcdutl, ["snapshot", "restore", file, "--data-dir", data], seconds);
    const { keys, revision } = await servedFrom<Counted>(tools.etcd, directory, data, seconds, (client, endpoint) =>
      counted(client, endpoint, keyPrefix),
    );
    if (keys < least) throw new Error(`the restored etcd holds no key below ${keyPrefix}`);
    return { keys, revision, seconds: (performance.now() - started) / 1000 };
  } catch (error) {
    throw new Error(`restore drill: ${messageOf(error)}`, { cause: error });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function servedFrom<T>(
  etcd: string,
  directory: string,
  data: string,
  seconds: number,
  ask: (client: EtcdClient, endpoint: string) => Promise<T>,
): Promise<T> {
  const [clientPort, peerPort] = await freePorts(2);
  // If authentication was on, the data bring it along.
  const connection = await rootCertificate();
  const endpoint = `https://127.0.0.1:${clientPort}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  const args = {
    "data-dir": data,
    ...(await tlsArgs(connection, directory)),
    "listen-client-urls": endpoint,
    "advertise-client-urls": endpoint,
    "listen-peer-urls": peer,
    "unsafe-no-fsync": "true",
    "quota-backend-bytes": String(2 ** 37),
  };
  const child = execa(
    etcd,
    Object.entries(args).map(([flag, value]) => `--${flag}=${value}`),
    {
      cwd: directory,
      stdin: "ignore",
      all: true,
      reject: false,
      maxBuffer: 2 ** 20,
      cleanup: true,
    },
  );
  let ended: string | undefined;
  void child.then(({ all }) => {
    ended = all?.split("\n").slice(-3).join("\n") ?? "";
  });
  const client = new DirectEtcdClient(connection);
  try {
    return await waitFor(
      "the restored etcd to answer",
      deadlineIn(seconds),
      async () => {
        if (ended !== undefined) throw new Ended(`etcd has ended: ${ended}`);
        return ask(client, endpoint);
      },
      { fatal: (error) => error instanceof Ended },
    );
  } finally {
    client.close();
    child.kill("SIGKILL");
    await child;
  }
}

class Ended extends Error {}

interface Counted {
  readonly keys: number;
  readonly revision: string;
}

async function counted(client: EtcdClient, endpoint: string, prefix: string): Promise<Counted> {
  const range = { key: encode(prefix), rangeEnd: endOfPrefix(prefix), countOnly: true };
  const { count, header } = await client.call<{ count?: string; header?: { revision?: string } }>(
    endpoint,
    "kv/range",
    range,
    10_000,
  );
  return { keys: Number(count ?? 0), revision: header?.revision ?? "0" };
}

/** One certificate for both sides: nobody without it is let in. */
async function tlsArgs({ ca, key }: EtcdConnection, directory: string): Promise<Record<string, string>> {
  const [certificate, keyFile] = [join(directory, "tls.crt"), join(directory, "tls.key")];
  await writeFile(certificate, ca);
  await writeFile(keyFile, key, { mode: 0o600 });
  return {
    "cert-file": certificate,
    "key-file": keyFile,
    "trusted-ca-file": certificate,
    "client-cert-auth": "true",
  };
}

/** Ports nothing listens on at the moment. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
