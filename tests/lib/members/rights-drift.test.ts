import type { KubeClient, KubeObject } from "../../../lib/kube/client.ts";
import { accountFor } from "../../../lib/members/accounts.ts";
import { ensureRights, rightsDrift } from "../../../lib/members/service-account.ts";

/** A member that keeps what is applied. */
function memberWith() {
  const objects = new Map<string, KubeObject>();
  const client = {
    find: (path: string) => Promise.resolve(path.includes("serviceaccounts") ? {} : objects.get(path)),
    apply: (path: string, body: KubeObject) => Promise.resolve(objects.set(path, body)),
  } as unknown as KubeClient;
  return { client, objects };
}

const account = accountFor("plane", "paris");
const binding = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/karmada-controller-manager:karmada-paris";

test("rights as they were made are no difference", async () => {
  const { client } = memberWith();
  await ensureRights(client, account);
  expect(await rightsDrift(client, account)).toEqual([]);
});

test.each([
  ["to nobody", undefined],
  [
    "to somebody else besides",
    [
      { kind: "ServiceAccount", name: "karmada-paris", namespace: "karmada-cluster" },
      { kind: "ServiceAccount", name: "guest", namespace: "default" },
    ],
  ],
])("a binding by which the role is given %s is found", async (_, subjects) => {
  const { client, objects } = memberWith();
  await ensureRights(client, account);
  objects.set(binding, { ...objects.get(binding), subjects });
  expect(await rightsDrift(client, account)).toEqual([
    "cluster role binding karmada-controller-manager:karmada-paris: its role or its subjects were changed",
  ]);
});
