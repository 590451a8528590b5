import { join } from "node:path";
import { createAuthority, type Authority, type Leaf } from "./certificates.ts";
import type { Programs, Running } from "./running.ts";

/** An etcd cluster with TLS on both sides. */
export interface EtcdCluster {
  readonly endpoints: string[];
  readonly authority: Authority;
  readonly client: Leaf;
  readonly members: Running[];
  /** Paths, for programs that read files. */
  readonly files: { readonly ca: string; readonly certificate: string; readonly key: string };
}

/**
 * Starts members `etcd-0`... on ports from `port` on, two each, with certificates of a new authority or of one that is given.
 *
 * @param address of this machine where they listen
 */
export async function startEtcd(
  programs: Programs,
  port: number,
  size = 1,
  given?: Authority,
  program = "etcd",
  address = "127.0.0.1",
): Promise<EtcdCluster> {
  const authority = given ?? (await createAuthority("etcd"));
  const client = await authority.issue({ commonName: "test" });
  const server = await authority.issue({ commonName: "etcd", hosts: [address, "localhost"] });
  const files = {
    ca: programs.write("etcd/ca.crt", authority.certificate),
    certificate: programs.write("etcd/client.crt", client.certificate),
    key: programs.write("etcd/client.key", client.key),
  };
  const certificate = programs.write("etcd/server.crt", server.certificate);
  const key = programs.write("etcd/server.key", server.key);
  const names = Array.from({ length: size }, (_, i) => `etcd-${i}`);
  const clientUrl = (i: number) => `https://${address}:${port + 2 * i}`;
  const peerUrl = (i: number) => `https://${address}:${port + 2 * i + 1}`;
  const members = await Promise.all(
    names.map((name, i) =>
      programs.start(
        program,
        {
          name,
          "data-dir": join(programs.directory, name),
          "listen-client-urls": clientUrl(i),
          "advertise-client-urls": clientUrl(i),
          "listen-peer-urls": peerUrl(i),
          "initial-advertise-peer-urls": peerUrl(i),
          "initial-cluster": names.map((each, j) => `${each}=${peerUrl(j)}`).join(","),
          "client-cert-auth": true,
          "trusted-ca-file": files.ca,
          "cert-file": certificate,
          "key-file": key,
          "peer-client-cert-auth": true,
          "peer-trusted-ca-file": files.ca,
          "peer-cert-file": certificate,
          "peer-key-file": key,
          "unsafe-no-fsync": true,
        },
        name,
      ),
    ),
  );
  return { endpoints: names.map((_, i) => clientUrl(i)), authority, client, members, files };
}
