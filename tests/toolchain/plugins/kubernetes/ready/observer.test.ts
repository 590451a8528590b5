import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../../../../../toolchain/plugins/kubernetes/api-error.ts";
import type { Cluster } from "../../../../../toolchain/plugins/kubernetes/cluster.ts";
import { Observer } from "../../../../../toolchain/plugins/kubernetes/ready/observer.ts";
import { StatusLog } from "../../../../../toolchain/plugins/kubernetes/ready/status-log.ts";

test("what may not be listed is asked for once, and a server that fails for a moment again", async () => {
  const status = (reason: string) => JSON.stringify({ kind: "Status", reason, message: reason });
  const asked: Record<string, number> = {};
  const cluster = {
    list: ({ kind }: { kind: string }) => {
      asked[kind] = (asked[kind] ?? 0) + 1;
      if (kind === "Event") return Promise.reject(new ApiError(403, status("Forbidden"), "GET events"));
      return Promise.reject(new ApiError(503, status("ServiceUnavailable"), "GET pods"));
    },
  } as unknown as Cluster;
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "fleet", uid: "of-a" } };
  const log = new StatusLog(() => {});
  const observer = new Observer(cluster, pod, { judge: () => ({ ready: false }) }, new AbortController().signal, log);
  await observer.views(undefined).next();
  await sleep(1300);
  observer.stop();
  expect(asked["Event"]).toBe(1);
  expect(asked["Pod"]).toBeGreaterThan(1);
});
