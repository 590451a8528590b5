import { whyNoPod } from "../../../lib/etcd/kubernetes-no-pod.ts";
import type { Call, KubeClient, KubeObject } from "../../../lib/kube/client.ts";
import { KubeError } from "../../../lib/kube/error.ts";

/** A cluster whose events are these. */
function clusterWith(items: KubeObject[] | Error) {
  const asked: [path: string, call: Call | undefined][] = [];
  const get = (path: string, call?: Call) => {
    asked.push([path, call]);
    return items instanceof Error ? Promise.reject(items) : Promise.resolve({ items });
  };
  return { client: { get } as unknown as KubeClient, asked };
}

const failed = (lastTimestamp: string, message: string): KubeObject => ({ lastTimestamp, message });

describe("a member without a pod", () => {
  test("tells what its StatefulSet was last refused it for", async () => {
    const { client, asked } = clusterWith([
      failed("2026-01-01T00:00:20Z", 'create Pod etcd-0-0 failed: pods "etcd-0-0" is forbidden: exceeded quota: small'),
      failed("2026-01-01T00:00:10Z", "create Pod etcd-0-0 failed: a webhook timed out"),
    ]);
    expect(await whyNoPod(client, "fleet", "etcd-0")).toBe(
      'it has no pod yet: create Pod etcd-0-0 failed: pods "etcd-0-0" is forbidden: exceeded quota: small',
    );
    const fieldSelector = "involvedObject.kind=StatefulSet,involvedObject.name=etcd-0,reason=FailedCreate";
    expect(asked).toEqual([["/api/v1/namespaces/fleet/events", { query: { fieldSelector } }]]);
  });

  test("has none yet, where nothing was refused, or nobody may ask", async () => {
    expect(await whyNoPod(clusterWith([]).client, "fleet", "etcd-0")).toBe("it has no pod yet");
    const forbidden = new KubeError("GET", "/api/v1/namespaces/fleet/events", 403, "forbidden");
    expect(await whyNoPod(clusterWith(forbidden).client, "fleet", "etcd-0")).toBe("it has no pod yet");
    const gone = new KubeError("GET", "/api/v1/namespaces/fleet/events", 500, "no etcd");
    await expect(whyNoPod(clusterWith(gone).client, "fleet", "etcd-0")).rejects.toBe(gone);
  });
});
