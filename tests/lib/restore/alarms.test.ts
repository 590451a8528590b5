import type { EtcdClient } from "../../../lib/etcd/client.ts";
import { disarmBrought } from "../../../lib/restore/alarms.ts";

const members = [{ name: "etcd-0", peerUrl: "https://h:2380", clientUrl: "https://h:2379" }];

/** What is ended, and said, where a restored etcd of one member has this size and these alarms. */
async function ended(dbSize: number, alarms: readonly object[]) {
  const calls: object[] = [];
  const said: string[] = [];
  const answers: Record<string, object> = {
    "maintenance/status": { header: { cluster_id: "1", member_id: "7" }, leader: "7", dbSize, dbSizeQuota: "1000" },
    "cluster/member/list": { members: [{ ID: "7", name: "etcd-0", clientURLs: ["https://h:2379"] }] },
  };
  const call = async (_endpoint: string, method: string, body: { action?: string }) => {
    if (body.action === "DEACTIVATE") calls.push(body);
    return answers[method] ?? { alarms };
  };
  await disarmBrought({ call } as unknown as EtcdClient, members, (sentence) => said.push(sentence));
  return { calls, said };
}

const brought = [{ memberID: "489", alarm: "NOSPACE" }, { alarm: "CORRUPT" }];
const corrupt = { action: "DEACTIVATE", memberID: "0", alarm: "CORRUPT" };

test("what a snapshot brought is ended, an alarm of no member in particular as well", async () => {
  expect(await ended(700, brought)).toEqual({
    calls: [{ action: "DEACTIVATE", memberID: "489", alarm: "NOSPACE" }, corrupt],
    said: [
      "ending the alarm NOSPACE of 1e9, no member any more, which came with the snapshot",
      "ending the alarm CORRUPT of no member in particular, which came with the snapshot",
    ],
  });
});

test("a database that is full indeed goes on counting as full until there is room", async () => {
  expect(await ended(900, brought)).toEqual({
    calls: [corrupt],
    said: [
      "leaving the alarm NOSPACE of 1e9, no member any more: the database of etcd-0 is full, the next up of its etcd makes room",
      "ending the alarm CORRUPT of no member in particular, which came with the snapshot",
    ],
  });
});

test("an alarm of a member that is there is its own, and stays", async () => {
  expect(await ended(700, [{ memberID: "7", alarm: "NOSPACE" }])).toEqual({ calls: [], said: [] });
});
