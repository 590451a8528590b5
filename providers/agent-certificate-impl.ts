import { connect } from "../lib/kube/client.ts";
import { givenUp } from "../lib/kube/given-up.ts";
import { insist } from "../lib/kube/insist.ts";
import { parseKubeconfig } from "../lib/kube/kubeconfig.ts";
import { about } from "../lib/members/about.ts";
import { certifyAgent } from "../lib/members/agent-certificate.ts";
import { dropTokens } from "../lib/members/bootstrap-token.ts";
import { deadlineIn } from "../lib/wait.ts";
import type { AgentCertificateInputs, AgentCertificateOutputs } from "./agent-certificate.ts";
import { implement } from "./implementation.ts";
import { keptOnce } from "./kept-once.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";

const implemented = implement<AgentCertificateInputs, AgentCertificateOutputs>({
  inputs: {
    cluster: "replace",
    karmadaKubeconfig: "ignore",
    authority: "update",
    validSeconds: "update",
    renewBeforeSeconds: "ignore",
    timeoutSeconds: "ignore",
  },
  id: ({ cluster }) => cluster,
  check: (inputs) => checkKubeconfigs(inputs, ["karmadaKubeconfig"]),
  diff: ({ expires }, { renewBeforeSeconds = 0 }) => ({
    changes: expires !== undefined && Date.parse(expires) - renewBeforeSeconds * 1000 < Date.now(),
  }),
  create: (inputs) => about(inputs.cluster, () => certify(inputs)),
  update: (inputs) => about(inputs.cluster, () => certify(inputs)),
  delete: ({ cluster, karmadaKubeconfig, timeoutSeconds }) =>
    about(cluster, async () => {
      const plane = await connect(karmadaKubeconfig);
      const gone = await givenUp("the Karmada", plane, Math.min(10, timeoutSeconds));
      const drop = () => dropTokens(plane, cluster);
      if (gone === undefined)
        return insist("the Karmada API to delete the tokens of its agent", deadlineIn(timeoutSeconds), drop);
      console.warn(`${cluster}: tokens of its agent are not looked for: its Karmada is given up: ${gone}`);
    }),
});

export const provider = keptOnce(implemented, ["karmadaKubeconfig"]);

async function certify(inputs: AgentCertificateInputs): Promise<AgentCertificateOutputs> {
  const { cluster, karmadaKubeconfig, validSeconds, timeoutSeconds } = inputs;
  const plane = await connect(karmadaKubeconfig);
  return certifyAgent(plane, parseKubeconfig(karmadaKubeconfig), cluster, validSeconds, deadlineIn(timeoutSeconds));
}
