import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EtcdClient } from "../../../../lib/etcd/client.ts";
import { observeFacts } from "../../../../lib/etcd/membership/facts.ts";
import { LocalEtcdRuntime } from "../../../../lib/etcd/runtime/local.ts";
import { startEtcd } from "../../../support/etcd.ts";
import { Programs } from "../../../support/running.ts";
import { until } from "../../supervisor/support.ts";

const programs = new Programs(mkdtempSync(join(tmpdir(), "etcd-facts-")));
afterAll(async () => {
  await programs.remove();
});

test("a cluster whose members have not all told their version yet has none", async () => {
  const { endpoints, authority, client, members } = await startEtcd(programs, 21700, 3);
  await members[2]!.kill();
  const etcd = new EtcdClient({ ca: authority.certificate, certificate: client.certificate, key: client.key });
  const version = () => etcd.page(endpoints[0]!, "/version").catch((error: unknown) => String(error));
  await until("etcd to say the least version there is", version, (page) => page.includes('"etcdcluster":"3.0.0"'));
  const declared = endpoints.map((clientUrl, i) => ({
    name: `etcd-${i}`,
    clientUrl,
    peerUrl: `https://127.0.0.1:${21701 + 2 * i}`,
    revision: "1",
  }));
  const facts = await observeFacts(
    etcd,
    new LocalEtcdRuntime(programs.directory),
    {
      token: "token",
      members: declared,
      version: "3.6.6",
      replace: {},
      defragment: { fragmentation: 1, size: 0 },
      foreignMembers: "refuse",
    },
    { members: [], replaced: {} },
  );
  expect(facts.report.members.filter(({ healthy }) => healthy).map(({ name }) => name)).toEqual(["etcd-0", "etcd-1"]);
  expect(facts.clusterVersion).toBe("");
  etcd.close();
});
