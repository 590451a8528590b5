import { kubeconfigProblems, parseKubeconfig } from "../../lib/kube/kubeconfig.ts";
import { isOwnAccount, userOf } from "../../lib/members/own-account.ts";
import type { ClusterRegistrationInputs } from "../cluster-registration.ts";
import type { Problem } from "../implementation.ts";
import { checkKubeconfigs } from "../kubeconfig-check.ts";

/** All problems of a registration that can be found without asking anybody. */
export function checkRegistration(inputs: Partial<ClusterRegistrationInputs>): Problem[] {
  const { memberKubeconfig } = inputs;
  const problems = checkKubeconfigs(inputs, ["karmadaKubeconfig", "memberKubeconfig"]);
  if (memberKubeconfig === undefined || kubeconfigProblems(memberKubeconfig).length > 0) return problems;
  return [...problems, ...checkProxy(inputs, memberKubeconfig), ...checkLogin(inputs, memberKubeconfig)];
}

/** An agent prefers the proxy of its kubeconfig to any other, and may not change the registered one. */
function checkProxy({ syncMode, proxy }: Partial<ClusterRegistrationInputs>, memberKubeconfig: string): Problem[] {
  if (syncMode !== "Pull" || proxy === undefined) return [];
  const { proxyUrl = proxy } = parseKubeconfig(memberKubeconfig);
  if (proxyUrl === proxy) return [];
  const reason = `got ${shown(proxy)}, want ${shown(proxyUrl)}: the kubeconfig has that as proxy-url, and its agent would go by it`;
  return [{ property: "proxy", reason }];
}

/** The address of a proxy without its credentials. */
function shown(proxy: string): string {
  const { username, password } = new URL(proxy);
  return username === "" && password === "" ? proxy : proxy.replace(/\/\/.*@/, "//***@");
}

/** Settings that would take away its own login. */
function checkLogin(inputs: Partial<ClusterRegistrationInputs>, memberKubeconfig: string): Problem[] {
  const { cluster } = inputs;
  if (cluster === undefined || !isOwnAccount(memberKubeconfig, cluster)) return [];
  const asked = (["rotate", "rotateEvery", "preserveWorkloads"] as const).filter((each) => inputs[each]);
  const reason = `the kubeconfig logs in by Karmada's own account (${userOf(cluster)}), which would lose its token or its rights by this; give an administrator's kubeconfig first`;
  return asked.map((property) => ({ property, reason }));
}
