import { endOf } from "../../../lib/kube/pod.ts";

const pod = (phase: string, ...states: readonly [name: string, state: object][]) => ({
  status: { phase, containerStatuses: states.map(([name, state]) => ({ name, state })) },
});
const ended = (exitCode: number) => ({ terminated: { exitCode } });
const running = { running: {} };

test.each<[string, ReturnType<typeof pod>, string | undefined]>([
  ["it runs", pod("Running", ["etcdutl", running]), undefined],
  ["it has not begun", pod("Pending"), undefined],
  ["it ended well", pod("Succeeded", ["etcdutl", ended(0)]), "succeeded"],
  ["a sidecar goes on beside it", pod("Running", ["proxy", running], ["etcdutl", ended(0)]), "succeeded"],
  ["a sidecar ended badly", pod("Failed", ["proxy", ended(1)], ["etcdutl", ended(0)]), "succeeded"],
  ["it ended badly", pod("Running", ["proxy", running], ["etcdutl", ended(1)]), "failed"],
  ["its pod was evicted", pod("Failed"), "failed"],
])("how a container ended: %s", (_, given, end) => {
  expect(endOf(given, "etcdutl")).toBe(end);
});
