import { connect } from "../lib/kube/client.ts";
import { parseKubeconfig } from "../lib/kube/kubeconfig.ts";
import { prefixErrors } from "../lib/members/prefix-errors.ts";
import { accountFor } from "../lib/members/accounts.ts";
import { probeEndpoint } from "../lib/members/endpoint.ts";
import { revokeTokens } from "../lib/members/token-holders.ts";
import { planesOf } from "../lib/members/sharing.ts";
import { decoded, madeAt, tokensOf } from "../lib/members/tokens.ts";
import { deadlineIn } from "../lib/wait.ts";
import { implement } from "./implementation.ts";
import { keptOnce } from "./kept-once.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";
import type { SupersededTokensInputs, SupersededTokensOutputs } from "./superseded-tokens.ts";

const implemented = implement<SupersededTokensInputs, SupersededTokensOutputs>({
  inputs: {
    cluster: "replace",
    purpose: "replace",
    memberKubeconfig: "ignore",
    kubeconfig: "update",
    timeoutSeconds: "ignore",
  },
  id: ({ cluster, purpose }) => `${cluster}-${purpose}-superseded`,
  check: (inputs) => checkKubeconfigs(inputs, ["memberKubeconfig", "kubeconfig"]),
  create: (inputs) => prefixErrors(inputs.cluster, () => revoke(inputs)),
  update: (inputs) => prefixErrors(inputs.cluster, () => revoke(inputs)),
  delete: () => Promise.resolve(),
});

export const provider = keptOnce(implemented, ["memberKubeconfig", "kubeconfig"]);

async function revoke(inputs: SupersededTokensInputs): Promise<SupersededTokensOutputs> {
  const { cluster, purpose, memberKubeconfig, kubeconfig } = inputs;
  const deadline = deadlineIn(inputs.timeoutSeconds);
  const member = await connect(memberKubeconfig);
  const account = accountFor(purpose, cluster).name;
  const connection = parseKubeconfig(kubeconfig);
  const { token = "" } = connection;
  const tokens = await tokensOf(member, { account });
  const current = tokens.find((secret) => decoded(secret) === token);
  if (current === undefined) {
    throw new Error(
      `the token that its ${purpose} has is not one of service account ${account} in the member; run up again with --refresh`,
    );
  }
  const endpoint = await probeEndpoint(connection, { token, ca: decoded(current, "ca.crt") });
  // Another plane's program may have one of them.
  const isShared = (await planesOf(member, cluster)).length > 1;
  const superseded = isShared ? [] : tokens.filter((secret) => secret !== current);
  await revokeTokens(member, endpoint, superseded, undefined, deadline);
  return { since: madeAt(current) };
}
