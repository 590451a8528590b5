/** Real clusters that an external etcd must not be: each is refused with what was found and what to do, and nothing is written. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DirectEtcdClient } from "../../lib/etcd/direct/client.ts";
import { EtcdClient, type EtcdConnection } from "../../lib/etcd/client.ts";
import { EtcdKeys } from "../../lib/etcd/keys.ts";
import type { EtcdMember } from "../../lib/etcd/member.ts";
import { provider } from "../../providers/external-etcd-impl.ts";
import { answering, as, authenticate } from "../support/etcd-auth.ts";
import { startLearner } from "../support/etcd-learner.ts";
import { startEtcd, type EtcdCluster } from "../support/etcd.ts";
import { Programs } from "../support/running.ts";

const started: Programs[] = [];
const clients: EtcdClient[] = [];
afterAll(async () => {
  for (const client of clients) client.close();
  await Promise.all(started.map((programs) => programs.remove()));
});

/** Those of one cluster, with files of its own. */
function newPrograms(): Programs {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "external-etcd-")));
  started.push(programs);
  return programs;
}

const opened = <Client extends EtcdClient>(client: Client): Client => (clients.push(client), client);

const inputs = (connection: EtcdConnection, endpoints: string[], prefix = "/karmada") => ({
  ...connection,
  endpoints,
  prefix,
  owner: "one",
  deployment: "prod",
  timeoutSeconds: 10,
});

describe("with authentication", () => {
  let cluster: EtcdCluster;
  let root: EtcdConnection;
  let all: EtcdKeys;

  beforeAll(async () => {
    cluster = await startEtcd(newPrograms(), 31640);
    root = await authenticate(cluster, {
      writer: ["--prefix=true readwrite /karmada/"],
      reader: ["--prefix=true read /karmada/"],
      elsewhere: ["--prefix=true readwrite /karmada-2/"],
    });
    all = new EtcdKeys(opened(new DirectEtcdClient(root)), cluster.endpoints[0]!);
  }, 60_000);

  const refused = async (user: string) => {
    const connection = await as(cluster, user);
    const error = await provider.create(inputs(connection, cluster.endpoints)).then(
      () => undefined,
      (thrown: Error) => thrown.message,
    );
    expect(await all.list("/karmada", 10)).toEqual([]);
    return error;
  };
  const remedy = (user: string) =>
    `: the user "${user}", whom the client certificate names, needs to read and write every key below /karmada/\n${grant(user)}`;
  const grant = (user: string) =>
    "etcdctl role add karmada; etcdctl role grant-permission karmada --prefix=true readwrite /karmada/; " +
    `etcdctl user grant-role ${user} karmada`;
  const denied = (method: string, user: string) =>
    `${cluster.endpoints[0]}: ${method}: etcdserver: permission denied${remedy(user)}`;

  test("a user who may only read is refused", async () => {
    expect(await refused("reader")).toBe(denied("kv/txn", "reader"));
  });

  test("a user whose rights are on another prefix is refused, also where that begins alike", async () => {
    expect(await refused("elsewhere")).toBe(denied("kv/range", "elsewhere"));
  });

  test("a certificate that names nobody whom etcd knows is refused", async () => {
    expect(await refused("stranger")).toBe(
      `${cluster.endpoints[0]}: maintenance/status: etcdserver: user name not found: ` +
        'etcd has no user "stranger", whom the client certificate names\n' +
        `etcdctl user add stranger --no-password; ${grant("stranger")}`,
    );
  });

  test("a user with rights on the prefix is accepted, changed, looked at and left as without authentication", async () => {
    const writer = await as(cluster, "writer");
    const { id, outs } = await provider.create(inputs(writer, cluster.endpoints));
    expect(outs).toMatchObject({
      state: "Healthy",
      versions: { [cluster.endpoints[0]!]: expect.stringMatching(/^3\./) },
    });
    expect(await all.list("/karmada/", 10)).toEqual(["/karmada/karmada-pulumi/owner"]);
    expect((await provider.read(id, outs)).props).toEqual(outs);
    await expect(provider.create({ ...inputs(writer, cluster.endpoints), owner: "two" })).rejects.toThrow(
      '/karmada holds the data of another Karmada, the deployment "prod" with the service-account key one\n',
    );
    await provider.delete(id, outs);
    expect(await all.list("/karmada/", 10)).toEqual([]);
  });

  test("the state of the members is what the certificate for maintenance may see", async () => {
    const writer = inputs(await as(cluster, "writer"), cluster.endpoints);
    const seenBy = async (more: object) => {
      const { id, outs } = await provider.create({ ...writer, ...more });
      expect((await provider.read(id, outs)).props).toEqual(outs);
      await provider.delete(id, outs);
      const [{ role, healthy, dbSize } = {}] = outs.members as EtcdMember[];
      return { role, healthy, sized: dbSize! > 0 };
    };
    expect(await seenBy({})).toEqual({ role: "unknown", healthy: true, sized: false });
    const maintenance = { maintenanceCertificate: root.certificate, maintenanceKey: root.key };
    expect(await seenBy(maintenance)).toEqual({ role: "leader", healthy: true, sized: true });
  });

  test("a certificate for maintenance of a user without the role root is refused, and nothing is changed", async () => {
    const [writer, reader] = [await as(cluster, "writer"), await as(cluster, "reader")];
    const maintenance = { maintenanceCertificate: reader.certificate, maintenanceKey: reader.key };
    await expect(provider.create({ ...inputs(writer, cluster.endpoints), ...maintenance })).rejects.toThrow(
      `${cluster.endpoints[0]}: auth/user/list: etcdserver: permission denied: the user "reader", whom the client certificate names, ` +
        "needs the role root to see the state of a member and to take snapshots\n" +
        "etcdctl user grant-role reader root; or leave etcd.maintenance out",
    );
    expect(await all.list("/karmada/", 10)).toEqual([]);
  });

  test("what is asked by gRPC is answered as at a gateway", async () => {
    await all.putIfAbsent("/other/a", "1");
    expect(await all.putIfAbsent("/other/a", "2")).toBe(false);
    expect(await all.putIfHolds("/other/a", "1", "2")).toBe(true);
    expect(await all.putIfHolds("/other/a", "1", "3")).toBe(false);
    await all.putIfAbsent("/other/b", "");
    expect([await all.get("/other/a"), await all.get("/other/b"), await all.get("/other/c")]).toEqual([
      "2",
      "",
      undefined,
    ]);
    expect(await all.list("/other/", 10)).toEqual(["/other/a", "/other/b"]);
    expect(await all.list("/other/", 1)).toHaveLength(1);
    const last = await all.lastWrite("/other/");
    await all.probe("/other");
    expect(await all.lastWrite("/other/")).toBe(last);
    expect(last).toMatch(/^[1-9]\d*$/);
    await all.delete("/other/a");
    expect(await all.get("/other/a")).toBeUndefined();
  });
});

describe("without", () => {
  const programs = newPrograms();
  let cluster: EtcdCluster;
  let connection: EtcdConnection;
  let client: EtcdClient;
  let keys: EtcdKeys;

  beforeAll(async () => {
    cluster = await startEtcd(programs, 31650);
    connection = await as(cluster, "root");
    await answering(cluster, connection);
    client = opened(new EtcdClient(connection));
    keys = new EtcdKeys(client, cluster.endpoints[0]!);
  }, 60_000);

  test("a learner among the endpoints is refused by its address", async () => {
    const learner = await startLearner(programs, cluster, { who: connection, port: 31660 });
    await expect(provider.create(inputs(connection, [...cluster.endpoints, learner]))).rejects.toThrow(
      `${learner}: is a learner, give the endpoints of voters`,
    );
    expect(await keys.list("/karmada", 10)).toEqual([]);
  }, 60_000);

  test("a cluster whose database is full is refused with the member, its size and the way out", async () => {
    const { header } = await client.call<{ header: { member_id: string } }>(
      cluster.endpoints[0]!,
      "maintenance/status",
      {},
    );
    const alarm = (action: string) =>
      client.call(cluster.endpoints[0]!, "maintenance/alarm", { action, memberID: header.member_id, alarm: "NOSPACE" });
    await alarm("ACTIVATE"); // as the member itself does once it is full
    await expect(keys.putIfAbsent("/other/a", "1")).rejects.toThrow("database space exceeded");
    await expect(provider.create(inputs(connection, cluster.endpoints))).rejects.toThrow(
      /^https:\/\/127\.0\.0\.1:31650: has the alarm NOSPACE \(its database has \d+( of \d+)? bytes\), no member takes writes\ncompact and defragment it, or raise its --quota-backend-bytes, then run: etcdctl alarm disarm$/,
    );
    expect(await keys.list("/karmada", 10)).toEqual([]);
    await alarm("DEACTIVATE");
    const { id, outs } = await provider.create(inputs(connection, cluster.endpoints));
    expect(outs.conditions).toMatchObject({ noAlarm: true });
    await provider.delete(id, outs);
  });

  test.each([
    ["0", /^\S+31650: has the alarm CORRUPT of no member in particular, the members' data differ\nrestore a snapshot /],
    [
      "489",
      /^\S+31650: its member 1e9: has the alarm CORRUPT, its data differ .*\nhave the member replaced by a new one,/,
    ],
  ])("a cluster with the alarm CORRUPT of member %s is refused with the way out", async (memberID, said) => {
    const alarm = (action: string) =>
      client.call(cluster.endpoints[0]!, "maintenance/alarm", { action, memberID, alarm: "CORRUPT" });
    await alarm("ACTIVATE");
    await expect(provider.create(inputs(connection, cluster.endpoints))).rejects.toThrow(said);
    await alarm("DEACTIVATE");
    expect(await keys.list("/karmada", 10)).toEqual([]);
  });

  test("endpoints of two clusters are refused, each with its cluster", async () => {
    const authority = cluster.authority;
    const other = await startEtcd(newPrograms(), 31670, 1, authority);
    await answering(other, connection);
    await expect(provider.create(inputs(connection, [...cluster.endpoints, ...other.endpoints]))).rejects.toThrow(
      /^the endpoints are of different clusters: https:\/\/127\.0\.0\.1:31650 of [0-9a-f]+, https:\/\/127\.0\.0\.1:31670 of [0-9a-f]+$/,
    );
    expect(await keys.list("/karmada", 10)).toEqual([]);
  }, 60_000);

  test("another cluster without the Karmada's data is refused in the preview and before a program is ended", async () => {
    const other = await startEtcd(newPrograms(), 31680, 1, cluster.authority);
    await answering(other, connection);
    const elsewhere = new EtcdKeys(opened(new DirectEtcdClient(connection)), other.endpoints[0]!);
    const before = { ...inputs(connection, cluster.endpoints, "/moved"), cluster: "former" };
    const { id, outs } = await provider.create({ ...before, cluster: undefined });
    const state = { ...outs, cluster: "former" };
    const { clusterId } = (await provider.create(inputs(connection, other.endpoints, "/else"))).outs;
    // The runtime does not exist: what would end programs there says so.
    const runtime = { kind: "local" as const, directory: "/nowhere" };
    const moved = { ...before, endpoints: other.endpoints, cluster: clusterId as string, runtime, programs: ["one"] };
    const refusal = (found: string) =>
      `that etcd has no data of this Karmada, which would begin without them: /moved ${found}\nset etcd to the one that has them again, `;
    const previewed = async () => (await provider.check(state, moved)).failures;
    const refused = (found: string) => [{ property: "endpoints", reason: expect.stringContaining(refusal(found)) }];

    expect(await previewed()).toEqual(refused("is empty"));
    await expect(provider.update(id, state, moved)).rejects.toThrow(refusal("is empty"));
    // One that was made anew at the same place has the ID of the one before it.
    const lost = { ...moved, clusterId, ca: "PEM of the authority before it" };
    expect((await provider.check(lost, moved)).failures).toEqual(refused("is empty"));
    await expect(provider.update(id, lost, moved)).rejects.toThrow(refusal("is empty"));
    expect(await elsewhere.list("/moved", 10)).toEqual([]);

    await provider.create({ ...inputs(connection, other.endpoints, "/moved"), owner: "two" });
    const theirs = 'holds the data of another Karmada, the deployment "prod" with the service-account key two';
    expect(await previewed()).toEqual(refused(theirs));
    await expect(provider.update(id, state, moved)).rejects.toThrow(refusal(theirs));

    const typed = { ...inputs(connection, other.endpoints, "/moved"), deployment: "prod" };
    await expect(provider.update(id, outs, typed)).rejects.toThrow(refusal(theirs));
    await elsewhere.delete("/moved/karmada-pulumi/owner");
    await elsewhere.putIfAbsent("/moved/karmada-pulumi/owner", "one prod");
    expect((await provider.check(outs, typed)).failures).toEqual([]);
    expect((await provider.update(id, outs, typed)).outs).toMatchObject({ clusterId });
  }, 60_000);
});
