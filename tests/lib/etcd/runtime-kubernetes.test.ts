import { isRunning } from "../../../lib/etcd/runtime-kubernetes.ts";
import type { KubeObject } from "../../../lib/kube/client.ts";

const pod = (status: object, metadata = {}): KubeObject =>
  ({ apiVersion: "v1", kind: "Pod", metadata, status: { containerStatuses: [status] } }) as KubeObject;

describe("a member in a pod", () => {
  test("runs while the kubelet keeps it running, also between two starts", () => {
    expect(isRunning(pod({ state: { running: {} }, restartCount: 0 }))).toBe(true);
    expect(isRunning(pod({ state: { terminated: { exitCode: 1 } }, restartCount: 0 }))).toBe(true);
    expect(isRunning(pod({ state: { waiting: { reason: "CrashLoopBackOff" } }, restartCount: 1 }))).toBe(true);
  });

  test("does not run before its first start, nor once it is to be deleted", () => {
    expect(isRunning(undefined)).toBe(false);
    expect(isRunning(pod({ state: { waiting: { reason: "ErrImagePull" } }, restartCount: 0 }))).toBe(false);
    expect(isRunning(pod({ state: { running: {} } }, { deletionTimestamp: "2026-01-01T00:00:00Z" }))).toBe(false);
  });
});
