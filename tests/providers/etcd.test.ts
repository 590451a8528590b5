import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { EtcdClient } from "../../lib/etcd/client.ts";
import { EtcdKeys } from "../../lib/etcd/keys.ts";
import type { EtcdMember } from "../../lib/etcd/member.ts";
import { provider as etcdHealth } from "../../providers/etcd-health-impl.ts";
import { provider as externalEtcd } from "../../providers/external-etcd-impl.ts";
import { ensureProcess } from "../../lib/supervisor/client.ts";
import { createAuthority } from "../support/certificates.ts";
import { startEtcd, type EtcdCluster } from "../support/etcd.ts";
import { Programs } from "../support/running.ts";
import { Deployment, quiet } from "../lib/supervisor/support.ts";

const port = 31740;

describe("a real etcd of three members", () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "etcd-")));
  let etcd: EtcdCluster;
  let connection: { endpoints: string[]; ca: string; certificate: string; key: string };
  let keys: EtcdKeys;
  let client: EtcdClient;

  beforeAll(async () => {
    etcd = await startEtcd(programs, port, 3);
    const { authority, client: leaf, endpoints } = etcd;
    connection = { endpoints, ca: authority.certificate, certificate: leaf.certificate, key: leaf.key };
    client = new EtcdClient(connection);
    keys = new EtcdKeys(client, endpoints[0] ?? "");
  });
  afterAll(async () => {
    client.close();
    await programs.remove();
  });

  describe("an external etcd", () => {
    const inputs = (prefix: string, owner = "one") => ({
      ...connection,
      prefix,
      owner,
      deployment: `prod-${owner}`,
      timeoutSeconds: 20,
    });
    const noted = (prefix: string) => keys.get(`${prefix}/karmada-pulumi/owner`);
    const remedies =
      "choose another etcd.prefix, or, when those data are of a Karmada that is no more (destroyed, or its machines lost) " +
      "and this one is to go on with them, set etcd.adopt: true";

    describe("that its own stack has restored", () => {
      let deployment: Deployment;
      beforeEach(() => {
        deployment = new Deployment();
      });
      afterEach(() => deployment.clear());

      test("has its programs ended and is waited for by nobody: leases are gone, and it is the one that is told of", async () => {
        // Which waits until it is fit: nobody has asked it before.
        const { clusterId: cluster } = (await externalEtcd.create(inputs("/of-stack"))).outs as { clusterId: string };
        for (const name of ["scheduler", "proxy"])
          await ensureProcess(deployment.directory, deployment.program(name, quiet));
        const runtime = { kind: "local" as const, directory: deployment.directory };
        const declared = { ...inputs("/of-stack"), cluster, runtime, programs: ["scheduler"] };
        const made = await externalEtcd.create(declared);
        const lease = "/of-stack/leases/kube-system/scheduler";
        const heartbeat = "/of-stack/leases/karmada-cluster/one";
        for (const key of [lease, heartbeat]) await keys.putIfAbsent(key, "held");
        const left = async () => [
          deployment.running("scheduler").length,
          deployment.running("proxy").length,
          await keys.get(lease),
          await keys.get(heartbeat),
        ];
        await externalEtcd.update(made.id, made.outs, declared);
        expect(await left()).toEqual([1, 1, "held", "held"]);
        await externalEtcd.update(made.id, { ...made.outs, cluster: "before" }, declared);
        expect(await left()).toEqual([0, 1, undefined, "held"]);
        await expect(externalEtcd.create({ ...declared, cluster: "another" })).rejects.toThrow(
          `it is cluster ${cluster}, and the stack that runs it tells of another\nrun up with --refresh of that stack, then this up again`,
        );
      });
    });

    test("is proved fit and noted as ours; again is no change", async () => {
      const { id, outs } = await externalEtcd.create(inputs("/fresh"));
      expect(id).toBe("/fresh");
      const version = expect.stringMatching(/^3\.\d+\.\d+$/);
      expect(outs.versions).toEqual(Object.fromEntries(connection.endpoints.map((each) => [each, version])));
      expect(outs.clusterId).toMatch(/^[0-9a-f]+$/);
      expect(outs).toMatchObject({ state: "Healthy", tolerates: 1, conditions: { quorum: true, noAlarm: true } });
      expect((outs.members as EtcdMember[]).map(({ name, healthy }) => [name, healthy])).toEqual([
        ["etcd-0", true],
        ["etcd-1", true],
        ["etcd-2", true],
      ]);
      expect(await keys.list("/fresh", 10)).toEqual(["/fresh/karmada-pulumi/owner"]);
      const { clusterId, versions } = outs;
      expect((await externalEtcd.update(id, outs, inputs("/fresh"))).outs).toMatchObject({ clusterId, versions });
      expect(await externalEtcd.read(id, outs)).toMatchObject({ id });
      expect((await externalEtcd.read(id, outs)).props).toEqual(outs);
    });

    test("a prefix of another Karmada is refused by name, and left as it was", async () => {
      await externalEtcd.create(inputs("/taken", "theirs"));
      const refusal =
        '/taken holds the data of another Karmada, the deployment "prod-theirs" with the service-account key theirs\n' +
        remedies;
      await expect(externalEtcd.create(inputs("/taken", "ours"))).rejects.toThrow(refusal);
      expect(await noted("/taken")).toBe("theirs prod-theirs");
    });

    test("a preview finds a prefix of another Karmada, also before there is a service-account key", async () => {
      await externalEtcd.create(inputs("/previewed", "theirs"));
      const { owner: _unknownYet, ...firstPreview } = inputs("/previewed", "ours");
      const found = async (wanted: object, before: object = {}) =>
        (await externalEtcd.check(before, wanted)).failures?.map(({ property }: { property: string }) => property);
      expect(await found(firstPreview)).toEqual(["prefix"]);
      expect(await found(inputs("/previewed", "ours"))).toEqual(["prefix"]);
      expect(await found(inputs("/previewed", "ours"), inputs("/before", "ours"))).toEqual(["prefix"]);
      expect(await found({ ...firstPreview, adopt: true })).toEqual([]);
      expect(await found(inputs("/previewed", "theirs"))).toEqual([]);
      expect(await found({ ...firstPreview, prefix: "/free" })).toEqual([]);
    });

    test("what a destroyed Karmada left is refused with the way to take it over, and taken over when that is asked for", async () => {
      const first = await externalEtcd.create(inputs("/left", "gone"));
      await keys.putIfAbsent("/left/leases/kube-system/apiserver-1", "renewed before");
      await externalEtcd.delete(first.id, first.outs);
      await expect(externalEtcd.create(inputs("/left", "next"))).rejects.toThrow(
        '/left holds the data of another Karmada, the deployment "prod-gone" with the service-account key gone\n' +
          remedies,
      );
      await externalEtcd.create({ ...inputs("/left", "next"), adopt: true });
      expect(await noted("/left")).toBe("next prod-next");
      expect(await keys.list("/left/leases/", 2)).toHaveLength(1);
      expect((await externalEtcd.read(first.id, first.outs)).props.drift).toEqual([
        '/left: holds the data of another Karmada, the deployment "prod-next" with the service-account key next',
      ]);
    }, 30_000);

    test("what another Karmada uses is not taken over: its API server renews a lease there", async () => {
      await externalEtcd.create(inputs("/alive", "theirs"));
      const renew = (time: string) => keys.putIfAbsent(`/alive/leases/kube-system/apiserver-${time}`, time);
      await renew("0");
      const later = setTimeout(() => void renew("1"), 1500);
      await expect(externalEtcd.create({ ...inputs("/alive", "ours"), adopt: true })).rejects.toThrow(
        '/alive holds the data of another Karmada, the deployment "prod-theirs" with the service-account key theirs, ' +
          "and its API server still runs: it renews its lease there\ndestroy that Karmada first",
      );
      clearTimeout(later);
      expect(await noted("/alive")).toBe("theirs prod-theirs");
    }, 30_000);

    test("a note of an earlier release, without a name, is still ours", async () => {
      await keys.putIfAbsent("/earlier/karmada-pulumi/owner", "one");
      const { id, outs } = await externalEtcd.create(inputs("/earlier"));
      expect(await noted("/earlier")).toBe("one prod-one");
      expect((await externalEtcd.read(id, outs)).props).toEqual(outs);
    });

    test("stays ours with another service-account key, while its API server runs, and is nobody else's by that", async () => {
      const { id, outs } = await externalEtcd.create(inputs("/rekeyed", "before"));
      await keys.putIfAbsent("/rekeyed/leases/kube-system/apiserver-1", "renewed");
      const now = inputs("/rekeyed", "after");
      expect(await externalEtcd.diff(id, outs, now)).toMatchObject({ changes: true, replaces: [] });
      const { outs: rekeyed } = await externalEtcd.update(id, outs, now);
      expect(await noted("/rekeyed")).toBe("after prod-after");
      expect((await externalEtcd.read(id, rekeyed)).props).toEqual(rekeyed);
      // One that was cut off goes on with the state of before.
      expect((await externalEtcd.update(id, outs, now)).outs).toMatchObject({ owner: "after" });
      const other = { ...outs, owner: "other" };
      await expect(externalEtcd.update(id, other, inputs("/rekeyed", "another"))).rejects.toThrow(
        '/rekeyed holds the data of another Karmada, the deployment "prod-after" with the service-account key after',
      );
    });

    test("keys that nobody noted are refused, unless they are to be taken over", async () => {
      await keys.putIfAbsent("/old/namespaces/default", "{}");
      await expect(externalEtcd.create(inputs("/old"))).rejects.toThrow(
        `/old is not empty, it holds for instance /old/namespaces/default\n${remedies}`,
      );
      await externalEtcd.create({ ...inputs("/old"), adopt: true });
      expect(await noted("/old")).toBe("one prod-one");
    });

    test("a prefix that only begins alike is another one", async () => {
      await keys.putIfAbsent("/pre-fix/a", "1");
      await externalEtcd.create(inputs("/pre"));
    });

    test("a prefix within that of another Karmada, or around it, is refused in the preview and in the up", async () => {
      const own = await externalEtcd.create(inputs("/outer/middle", "theirs"));
      const reason = (prefix: string, lies: string) =>
        `${prefix} lies ${lies} /outer/middle, which holds the data of another Karmada, the deployment "prod-theirs" with the ` +
        "service-account key theirs\nchoose another etcd.prefix: to delete the keys below the outer one would delete those of both";
      for (const [prefix, lies] of [
        ["/outer/middle/a/b", "within"],
        ["/outer", "around"],
      ] as const) {
        for (const adopt of [false, true]) {
          const wanted = { ...inputs(prefix, "ours"), adopt };
          expect((await externalEtcd.check({}, wanted)).failures).toEqual([
            { property: "prefix", reason: reason(prefix, lies) },
          ]);
          await expect(externalEtcd.create(wanted)).rejects.toThrow(reason(prefix, lies));
        }
        expect(await noted(prefix)).toBeUndefined();
      }
      for (const beside of ["/outer/middle-too", "/outer/other"])
        expect((await externalEtcd.check({}, inputs(beside, "ours"))).failures).toEqual([]);
      expect((await externalEtcd.read(own.id, own.outs)).props).toEqual(own.outs);
    });

    test("one that an earlier release let lie within another goes on, and its keys stay when the outer one goes", async () => {
      const outer = await externalEtcd.create(inputs("/nest", "theirs"));
      await keys.putIfAbsent("/nest/inner/karmada-pulumi/owner", "one prod-before");
      const inner = await externalEtcd.create(inputs("/nest/inner"));
      expect(await noted("/nest/inner")).toBe("one prod-one");
      await externalEtcd.delete(outer.id, outer.outs);
      expect((await externalEtcd.read(inner.id, inner.outs)).props).toEqual(inner.outs);
    });

    test("a note that somebody changed is drift", async () => {
      const { id, outs } = await externalEtcd.create(inputs("/stolen"));
      await keys.delete("/stolen/karmada-pulumi/owner");
      expect((await externalEtcd.read(id, outs)).props.drift).toEqual(["/stolen: nobody is noted as its owner"]);
    });

    test("delete keeps data, and the note as long as there are any", async () => {
      const { id, outs } = await externalEtcd.create(inputs("/gone"));
      await keys.putIfAbsent("/gone/data", "1");
      await externalEtcd.delete(id, outs);
      expect(await keys.list("/gone/", 10)).toEqual(["/gone/data", "/gone/karmada-pulumi/owner"]);
      await keys.delete("/gone/data");
      await externalEtcd.delete(id, outs);
      expect(await keys.list("/gone/", 10)).toEqual([]);
      await externalEtcd.delete(id, outs);
    });

    test("a client certificate of another authority is refused at once", async () => {
      const stranger = await (await createAuthority("other")).issue({ commonName: "x" });
      const create = externalEtcd.create({ ...inputs("/x"), ...stranger, timeoutSeconds: 0.5 });
      await expect(create).rejects.toThrow(/waited 0.5s for etcd to be fit for use: https:\/\/127\.0\.0\.1:317\d\d: /);
    });

    test("it is reached by a bundle of authorities whose first one has expired", async () => {
      const old = await etcd.authority.issue({ commonName: "old", expired: true });
      const news = { ...inputs("/bundle"), ca: `${old.certificate}\n${inputs("/bundle").ca}` };
      expect((await externalEtcd.check({}, news)).failures).toEqual([]);
      const { id, outs } = await externalEtcd.create(news);
      await externalEtcd.delete(id, outs);
    });

    test("what can be known in the preview is said there", async () => {
      const expired = await etcd.authority.issue({ commonName: "x", expired: true });
      const news = { ...inputs("karmada/"), endpoints: ["10.0.0.1:2379"], certificate: expired.certificate };
      expect((await externalEtcd.check({}, news)).failures).toEqual([
        { property: "endpoints", reason: 'got "10.0.0.1:2379", want https://host:port' },
        { property: "certificate", reason: expect.stringMatching(/^expired on /) },
        { property: "prefix", reason: 'got "karmada/", want a path without a slash at its end, such as /karmada' },
      ]);
    });
  });

  describe("its health", () => {
    const inputs = (expectedMembers = 3, timeoutSeconds = 20) => ({ ...connection, expectedMembers, timeoutSeconds });

    test("lists each member once it answers, one of them the leader", async () => {
      const { outs } = await etcdHealth.create(inputs());
      const members = outs.members as EtcdMember[];
      expect(members.map(({ name, healthy, learner, alarms }) => ({ name, healthy, learner, alarms }))).toEqual(
        ["etcd-0", "etcd-1", "etcd-2"].map((name) => ({ name, healthy: true, learner: false, alarms: [] })),
      );
      expect(members.filter(({ leader }) => leader)).toHaveLength(1);
      expect(members.every(({ dbSize, dbSizeInUse }) => dbSize >= dbSizeInUse && dbSizeInUse > 0)).toBe(true);
      expect(members.map(({ clientUrls }) => clientUrls)).toEqual(connection.endpoints.map((each) => [each]));
    });

    test("a refresh changes nothing while only sizes change", async () => {
      const { id, outs } = await etcdHealth.create(inputs());
      for (let i = 0; i < 200; i++) await keys.putIfAbsent(`/load/${i}`, "x".repeat(1000));
      expect((await etcdHealth.read(id, outs)).props).toEqual(outs);
    });

    test("a number of members other than expected is waited for, and told", async () => {
      await expect(etcdHealth.create(inputs(5, 0.5))).rejects.toThrow(
        "waited 0.5s for 5 healthy etcd members: 3 members, want 5",
      );
    });

    test("an alarm of a member that is gone is drift, and waited for", async () => {
      const { id, outs } = await etcdHealth.create(inputs());
      const change = (action: string) =>
        client.call(connection.endpoints[0]!, "maintenance/alarm", { action, memberID: "489", alarm: "CORRUPT" });
      await change("ACTIVATE");
      const { props } = await etcdHealth.read(id, outs);
      const said = "etcd: alarm CORRUPT of 1e9, no member any more";
      expect(props).toMatchObject({ state: "Corrupt", conditions: { noAlarm: false }, drift: [said] });
      await expect(etcdHealth.update(id, outs, inputs(3, 0.5))).rejects.toThrow(
        `waited 0.5s for 3 healthy etcd members: ${said}`,
      );
      await change("DEACTIVATE");
      expect((await etcdHealth.read(id, outs)).props).toEqual(outs);
    });

    test("a killed member is drift by name, then an error that names it; without quorum every member is asked", async () => {
      const { id, outs } = await etcdHealth.create(inputs());
      const external = await externalEtcd.create({
        ...connection,
        prefix: "/ill",
        owner: "one",
        deployment: "prod",
        timeoutSeconds: 20,
      });
      await etcd.members[2]?.kill();
      const refused = `etcd-2: https://127.0.0.1:${port + 4}: connection refused, nothing listens there`;
      expect((await etcdHealth.read(id, outs)).props.drift).toEqual([refused]);
      await expect(etcdHealth.update(id, outs, inputs(3, 0.5))).rejects.toThrow(
        `waited 0.5s for 3 healthy etcd members: ${refused}`,
      );
      // That is for those who run it to mend: it works.
      const theirs = await externalEtcd.read(external.id, external.outs);
      expect(theirs.props).toMatchObject({ state: "Degraded", tolerates: 0 });
      expect(theirs.props.drift).toBeUndefined();
      await etcd.members[1]?.kill();
      const seen = await etcdHealth.read(id, outs);
      expect(seen.props.drift.join()).toMatch(/31742: connection refused.*31744: connection refused/);
      expect(seen.props.members).toEqual(outs.members);
    });
  });
});

jest.setTimeout(60_000);
