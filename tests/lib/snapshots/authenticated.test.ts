/** Snapshots of an etcd whose authentication is on, where a client is who the common name of its certificate says. */
import { mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { EtcdKeys } from "../../../lib/etcd/keys.ts";
import { DirectEtcdClient } from "../../../lib/etcd/direct/client.ts";
import type { EtcdConnection } from "../../../lib/etcd/client.ts";
import { takeSnapshotApart } from "../../../lib/snapshots/apart.ts";
import { programPath } from "../../support/programs.ts";
import { startEtcd, type EtcdCluster } from "../../support/etcd.ts";
import { as, authenticate } from "../../support/etcd-auth.ts";
import { Programs } from "../../support/running.ts";
import { BackupProgram, manifestsIn, settingsFor } from "../backup/support.ts";

describe.each([
  ["3.6", "etcd", 23500],
  ["3.5", "etcd@3.5.35", 23510],
])("of etcd %s", (_, program, port) => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "snapshot-auth-")));
  const directory = (name: string) => join(programs.directory, name);
  let cluster: EtcdCluster;
  let root: EtcdConnection;

  beforeAll(async () => {
    mkdirSync(directory("scratch"));
    cluster = await startEtcd(programs, port, 1, undefined, program);
    root = await authenticate(cluster, { writer: ["--prefix=true readwrite /karmada/"] });
    const client = new DirectEtcdClient(root);
    await new EtcdKeys(client, cluster.endpoints[0]!).putIfAbsent("/karmada/a", "1");
    client.close();
  });
  afterAll(() => programs.remove());

  const taken = async (connection: EtcdConnection) => {
    const plan = {
      deployment: "prod",
      source: { endpoints: cluster.endpoints, connection },
      targets: [{ kind: "local", directory: directory("snapshots") }],
      encryption: { kind: "none" },
      verify: "restore",
      scratch: directory("scratch"),
      keyPrefix: "/karmada",
      tools: async () => ({ etcdutl: await programPath("etcdutl"), etcd: await programPath("etcd") }),
    } as const;
    return takeSnapshotApart(plan, "on-demand");
  };

  test("root takes one, and proves it by a restore, whose etcd asks who one is as well", async () => {
    const { manifest } = await taken(root);
    expect(manifest).toMatchObject({ memberName: "etcd-0", keyPrefix: "/karmada", verified: { level: "restore" } });
    expect(readdirSync(directory("scratch"))).toEqual([]);
  });

  test("of somebody else it is refused with the right that is missing, and nothing is left", async () => {
    const before = readdirSync(directory("snapshots/prod"));
    await expect(taken(await as(cluster, "writer"))).rejects.toThrow(
      /^https:\S+: (maintenance\/status: etcdserver|snapshot: auth): permission denied: the user "writer", whom the client certificate names, needs the role root: .*\netcdctl user grant-role writer root; or give the certificate of a user who has it \(of a deployment: etcd\.maintenance\)$/,
    );
    await expect(taken(await as(cluster, "stranger"))).rejects.toThrow(
      /: etcd has no user "stranger", whom the client certificate names\netcdctl user add stranger --no-password; etcdctl user grant-role stranger root/,
    );
    expect(readdirSync(directory("snapshots/prod"))).toEqual(before);
    expect(readdirSync(directory("scratch"))).toEqual([]);
  });

  test("the program of a schedule takes and proves them as root, and says what somebody else lacks", async () => {
    const once = async (name: string, who: EtcdConnection) => {
      const settings = await settingsFor(cluster, directory(name), port + 9);
      const file = (key: "certificate" | "key") => programs.write(`${name}/${key}`, who[key]);
      const etcd = {
        ...(settings["etcd"] as object),
        prefix: "/karmada",
        certificate: file("certificate"),
        key: file("key"),
      };
      const schedule = { cron: "0 * * * *", jitterSeconds: 0 };
      const program = new BackupProgram({ ...settings, etcd, schedule }, ["--once", "--drill"]);
      return { code: await program.exit, status: program.status };
    };
    const { code, status } = await once("by-root", root);
    expect({ code, keys: status?.drill?.keys }).toEqual({ code: 0, keys: 1 });
    expect(manifestsIn(directory("by-root/backup/prod"))).toMatchObject([{ reason: "scheduled" }]);
    const refused = await once("by-writer", await as(cluster, "writer"));
    expect(refused.code).toBe(1);
    expect(refused.status?.run?.error).toMatch(/the user "writer", .* needs the role root/);
  });
});

jest.setTimeout(120_000);
