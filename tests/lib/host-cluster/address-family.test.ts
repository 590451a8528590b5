import { judgeAddressFamily } from "../../../lib/host-cluster/address-family.ts";
import type { KubeClient } from "../../../lib/kube/client.ts";
import { KubeError } from "../../../lib/kube/error.ts";

const withService = (service: object | undefined) =>
  judgeAddressFamily({
    find: (path: string) => Promise.resolve(path.endsWith("/kubernetes") ? service : undefined),
  } as KubeClient);

test("pods with IPv6 addresses first are refused, as programs listen on IPv4", async () => {
  expect(await withService({ spec: { clusterIP: "fd00:10:96::1" } })).toEqual([
    {
      severity: "error",
      need: "pods",
      message:
        "pods have IPv6 addresses first (the Service default/kubernetes has fd00:10:96::1), and programs listen on IPv4: want a cluster with IPv4 first",
    },
  ]);
  expect(await withService({ spec: { clusterIP: "10.96.0.1" } })).toEqual([]);
  expect(await withService(undefined)).toEqual([]);
});

test("who may not read a Service there goes without the answer", async () => {
  const refusing = (status: number) =>
    judgeAddressFamily({
      find: () => Promise.reject(new KubeError("GET", "/", status, "no")),
    } as unknown as KubeClient);
  expect(await refusing(403)).toEqual([]);
  await expect(refusing(500)).rejects.toThrow("no");
});
