import { connect } from "../lib/kube/client.ts";
import { parseKubeconfig } from "../lib/kube/kubeconfig.ts";
import { accountDrift, accountFor } from "../lib/members/accounts.ts";
import { about } from "../lib/members/about.ts";
import { dropNamespace } from "../lib/members/cleanup.ts";
import { probeEndpoint } from "../lib/members/endpoint.ts";
import { identify } from "../lib/members/identity.ts";
import { decoded, ensureAccount, ensureNamespace, removeAccount } from "../lib/members/service-account.ts";
import { tokenKubeconfig } from "../lib/members/token-kubeconfig.ts";
import { deadlineIn, messageOf } from "../lib/wait.ts";
import { implement } from "./implementation.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";
import type { MemberAccessInputs, MemberAccessOutputs } from "./member-access.ts";

export const provider = implement<MemberAccessInputs, MemberAccessOutputs>({
  inputs: {
    cluster: "replace",
    purpose: "replace",
    karmadaKubeconfig: "ignore",
    memberKubeconfig: "update",
    timeoutSeconds: "ignore",
  },
  deleteBeforeReplace: true,
  id: ({ cluster, purpose }) => `${cluster}-${purpose}`,
  check: (inputs) => checkKubeconfigs(inputs, ["karmadaKubeconfig", "memberKubeconfig"]),
  create: (inputs) => about(inputs.cluster, () => ensure(inputs)),
  update: (inputs) => about(inputs.cluster, () => ensure(inputs)),
  async read(state) {
    try {
      const member = await connect(state.memberKubeconfig);
      return { state: {}, drift: await accountDrift(member, accountFor(state.purpose, state.cluster)) };
    } catch (error) {
      return { state: {}, drift: [`the member cannot be read: ${messageOf(error)}`] };
    }
  },
  async delete({ cluster, purpose, memberKubeconfig, timeoutSeconds }) {
    const account = accountFor(purpose, cluster);
    try {
      const member = await connect(memberKubeconfig);
      await removeAccount(member, account);
      await dropNamespace(member, cluster, deadlineIn(timeoutSeconds));
    } catch (error) {
      console.warn(`${cluster}: service account ${account.name} stays in the member: ${messageOf(error)}`);
    }
  },
});

async function ensure(inputs: MemberAccessInputs): Promise<MemberAccessOutputs> {
  const { cluster, purpose, karmadaKubeconfig, memberKubeconfig } = inputs;
  const deadline = deadlineIn(inputs.timeoutSeconds);
  const { member } = await identify(cluster, karmadaKubeconfig, memberKubeconfig, deadline);
  await ensureNamespace(member, deadline);
  const secret = await ensureAccount(member, accountFor(purpose, cluster), deadline);
  const token = decoded(secret);
  const endpoint = await probeEndpoint(parseKubeconfig(memberKubeconfig), { token, ca: decoded(secret, "ca.crt") });
  return { kubeconfig: tokenKubeconfig(cluster, endpoint, token) };
}
