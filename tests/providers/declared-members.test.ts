import http from "node:http";
import type { AddressInfo } from "node:net";
import { tokenKubeconfig } from "../../lib/members/token-kubeconfig.ts";
import { provider } from "../../providers/declared-members-impl.ts";

/** A control plane with a Cluster `paris`, or without any. */
let items: object[];
let server: http.Server;
let karmadaKubeconfig: string;
beforeAll(async () => {
  server = http.createServer((request, response) => {
    const answer = { items: request.url?.startsWith("/apis/cluster.karmada.io") === true ? items : [] };
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const apiEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  karmadaKubeconfig = tokenKubeconfig("any", { apiEndpoint, caBundle: "", insecureSkipTLSVerification: false }, "any");
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => (items = [{ metadata: { name: "paris" } }]));

const declared = (kubeconfigs: Record<string, string>) => ({
  members: Object.keys(kubeconfigs),
  declaredBy: "members/maps",
  mayLeave: [],
  kubeconfigs,
  policies: [],
  karmadaKubeconfig,
});
const refused = async (then: Record<string, string>, now: Record<string, string>) => {
  const { failures } = await provider.check(declared(then), declared(now));
  return failures;
};

test("a member that comes by the kubeconfig of one that leaves is refused in the preview, with the way to rename it", async () => {
  expect(await refused({ paris: "one", rome: "two" }, { lyon: "one", rome: "two" })).toEqual([
    {
      property: "members",
      reason:
        "lyon: its cluster is registered already, as paris; a cluster joins once\n" +
        "to rename it, take paris out of the list in an up of its own first",
    },
  ]);
});

test("a renamed member is accepted if its kubeconfig differs or its former Cluster is gone", async () => {
  expect(await refused({ paris: "one" }, { lyon: "two" })).toEqual([]);
  items = [];
  expect(await refused({ paris: "one" }, { lyon: "one" })).toEqual([]);
});

test("nothing is refused while the kubeconfigs of before or of now are unknown", async () => {
  expect(
    await provider.check({ ...declared({ paris: "" }), kubeconfigs: undefined }, declared({ lyon: "one" })),
  ).toMatchObject({ failures: [] });
  expect(
    await provider.check(declared({ paris: "one" }), { ...declared({ lyon: "" }), kubeconfigs: undefined }),
  ).toMatchObject({ failures: [] });
});
