import { connect, type KubeClient } from "../../../lib/kube/client.ts";
import { accountFor } from "../../../lib/members/accounts.ts";
import { cleanMember } from "../../../lib/members/cleanup.ts";
import { ensureCredentials } from "../../../lib/members/credentials.ts";
import { isOwnAccount } from "../../../lib/members/own-account.ts";
import { ensureAccount } from "../../../lib/members/service-account.ts";
import { tokenKubeconfig } from "../../../lib/members/token-kubeconfig.ts";
import { revocable } from "../../../lib/members/token-use.ts";
import { deadlineIn, Pending, waitFor } from "../../../lib/wait.ts";
import { provider } from "../../../providers/cluster-registration-impl.ts";
import { provider as accesses } from "../../../providers/member-access-impl.ts";
import { oneCluster } from "../../support/one-cluster.ts";

const port = 31726;
const nowhere = { apiEndpoint: "https://127.0.0.1:1", caBundle: "", insecureSkipTLSVerification: true };

const tokenOf = (sub: string) => ["", JSON.stringify({ sub }), ""].map((part) => btoa(part)).join(".");
const kubeconfigFor = (account: string) =>
  tokenKubeconfig("one", nowhere, tokenOf(`system:serviceaccount:karmada-cluster:${account}`));

test("a login by Karmada's own account in a member is known by the name in its token", () => {
  const logins = [
    kubeconfigFor("karmada-one"),
    kubeconfigFor("karmada-two"),
    tokenKubeconfig("one", nowhere, "opaque"),
    tokenKubeconfig("one", nowhere, "a.b.c"),
  ];
  expect(logins.map((login) => isOwnAccount(login, "one"))).toEqual([true, false, false, false]);
});

test("what would take such a login away is refused in the preview", async () => {
  const inputs = {
    cluster: "one",
    karmadaKubeconfig: tokenKubeconfig("karmada", nowhere, "x"),
    syncMode: "Push",
    declaredBy: "karmada/test",
    rotate: "1",
    rotateEvery: "720h",
    preserveWorkloads: true,
    timeoutSeconds: 5,
  } as const;
  const { failures } = await provider.check({}, { ...inputs, memberKubeconfig: kubeconfigFor("karmada-one") });
  expect(failures?.map(({ property }) => property)).toEqual(["rotate", "rotateEvery", "preserveWorkloads"]);
  expect(failures?.[0]?.reason).toBe(
    "the kubeconfig logs in by Karmada's own account (system:serviceaccount:karmada-cluster:karmada-one), " +
      "which would lose its token or its rights by this; give an administrator's kubeconfig first",
  );
  const administrator = { ...inputs, memberKubeconfig: kubeconfigFor("administrator") };
  expect((await provider.check({}, administrator)).failures ?? []).toEqual([]);
});

test("the token of the login is never one to be revoked", async () => {
  const [own, other] = [tokenOf("own"), tokenOf("other")];
  const superseded = [own, other].map((token) => ({ metadata: { name: token }, data: { token: btoa(token) } }));
  const inputs = {
    cluster: "one",
    karmadaKubeconfig: "",
    memberKubeconfig: tokenKubeconfig("one", nowhere, own),
  };
  const found = await revocable({} as KubeClient, inputs, { superseded, since: "2026-01-01T00:00:00Z" });
  expect(found.map(({ metadata }) => metadata?.name)).toEqual([other]);
});

describe("a member that is logged in to by Karmada's own account", () => {
  const member = oneCluster(port);

  const login = async () => {
    const { token, ca } = await ensureCredentials(member.cluster.client, "one", deadlineIn(60));
    await ensureAccount(member.cluster.client, accountFor("estimator", "one"), deadlineIn(60));
    const endpoint = { apiEndpoint: member.cluster.server, caBundle: ca, insecureSkipTLSVerification: false };
    return tokenKubeconfig("one", endpoint, token);
  };

  /** What there is of Karmada, in words. */
  const there = async () => {
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    const accounts = "/api/v1/namespaces/karmada-cluster/serviceaccounts";
    const lists = await Promise.all(
      [`${rbac}/clusterroles`, `${rbac}/clusterrolebindings`, accounts, "/api/v1/namespaces"].map((path) =>
        member.cluster.client.get<{ items: { metadata: { name: string } }[] }>(path),
      ),
    );
    return lists
      .flatMap(({ items }) => items.map(({ metadata }) => metadata.name))
      .filter((name) => /karmada/.test(name));
  };
  const only = (names: readonly string[]) =>
    waitFor(`only ${names.join(", ") || "nothing"} to be there`, deadlineIn(60), async () => {
      const found = await there();
      return JSON.stringify(found) === JSON.stringify(names) ? true : new Pending(found.join(", "));
    });

  test("is left by it with nothing there, the estimator's account among it, and that one's end is no warning", async () => {
    const kubeconfig = await login();
    expect(await cleanMember(await connect(kubeconfig), "one", deadlineIn(30), { asItself: true })).toEqual([]);
    await only([]);
    const said: unknown[] = [];
    const { warn } = console;
    console.warn = (line: unknown) => void said.push(line);
    try {
      const known = { cluster: "one", purpose: "estimator", declaredBy: "karmada/test", timeoutSeconds: 5 } as const;
      const state = { ...known, karmadaKubeconfig: kubeconfig, memberKubeconfig: kubeconfig, kubeconfig };
      await accesses.delete("one-estimator", { ...state });
    } finally {
      console.warn = warn;
    }
    expect(said).toEqual([]);
  }, 120_000);

  test("keeps what the account of another one is in", async () => {
    const kubeconfig = await login();
    await ensureAccount(member.cluster.client, accountFor("plane", "two"), deadlineIn(60));
    expect(await cleanMember(await connect(kubeconfig), "one", deadlineIn(30), { asItself: true })).toEqual([
      "namespace karmada-cluster stays: it holds service account karmada-two",
    ]);
    const role = "karmada-controller-manager:karmada-two";
    await only([role, role, "karmada-impersonator", "karmada-two", "karmada-cluster"]);
  }, 120_000);
});
