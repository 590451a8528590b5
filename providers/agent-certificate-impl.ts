import { X509Certificate } from "node:crypto";
import { connect } from "../lib/kube/client.ts";
import { parseKubeconfig } from "../lib/kube/kubeconfig.ts";
import { reasonToGiveUp } from "../lib/kube/reason-to-give-up.ts";
import { retryTransient } from "../lib/kube/retry-transient.ts";
import { certifyAgent } from "../lib/members/agent-certificate.ts";
import { dropTokens } from "../lib/members/bootstrap-token.ts";
import { prefixErrors } from "../lib/members/prefix-errors.ts";
import { deadlineIn } from "../lib/wait.ts";
import { certificateIn } from "../spec/pki/pem.ts";
import type { AgentCertificateInputs, AgentCertificateOutputs } from "./agent-certificate.ts";
import { implement, type State } from "./implementation.ts";
import { keptOnce } from "./kept-once.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";

const implemented = implement<AgentCertificateInputs, AgentCertificateOutputs>({
  inputs: {
    cluster: "replace",
    // On deletion it looks for tokens with the one of the last run.
    karmadaKubeconfig: "update",
    authority: "update",
    validSeconds: "update",
    renewBeforeSeconds: "ignore",
    timeoutSeconds: "ignore",
  },
  id: ({ cluster }) => cluster,
  check: (inputs) => checkKubeconfigs(inputs, ["karmadaKubeconfig"]),
  diff: (state, inputs) => ({ changes: isDue(state, inputs) }),
  create: (inputs) => prefixErrors(inputs.cluster, () => certify(inputs)),
  update: (inputs, state) => prefixErrors(inputs.cluster, async () => kept(state, inputs) ?? certify(inputs)),
  delete: ({ cluster, karmadaKubeconfig, timeoutSeconds }) =>
    prefixErrors(cluster, async () => {
      const plane = await connect(karmadaKubeconfig);
      const gone = await reasonToGiveUp("the Karmada", plane, Math.min(10, timeoutSeconds));
      const drop = () => dropTokens(plane, cluster);
      if (gone === undefined)
        return retryTransient("the Karmada API to delete the tokens of its agent", deadlineIn(timeoutSeconds), drop);
      console.warn(`${cluster}: tokens of its agent are not looked for: its Karmada is given up: ${gone}`);
    }),
});

type Known = State<AgentCertificateInputs, AgentCertificateOutputs>;

const isDue = (state: Partial<Known>, inputs: Partial<AgentCertificateInputs>): boolean =>
  state.expires !== undefined && Date.parse(state.expires) - leadTime(state, inputs) * 1000 < Date.now();

/**
 * How long before its end it is renewed, in seconds. A signer may give less time than it is asked for: of that a third
 * at most, as one that has less left than `renewBefore` from its first day would be signed anew by every `up`.
 */
function leadTime(
  { certificate, validSeconds = 0 }: Partial<Known>,
  { renewBeforeSeconds = 0 }: Partial<AgentCertificateInputs>,
): number {
  if (certificate === undefined) return renewBeforeSeconds;
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  const given = (validToDate.getTime() - validFromDate.getTime()) / 1000;
  return given < validSeconds ? Math.min(renewBeforeSeconds, given / 3) : renewBeforeSeconds;
}

/** The existing certificate, as long as it will do. */
function kept(state: Known, inputs: AgentCertificateInputs): AgentCertificateOutputs | undefined {
  const { certificate, key, expires, authority, validSeconds } = state;
  if (certificate === undefined || key === undefined || expires === undefined || isDue(state, inputs)) return undefined;
  return signerOf(authority) === signerOf(inputs.authority) && validSeconds === inputs.validSeconds
    ? { certificate, key, expires }
    : undefined;
}

/** The first of what is trusted for an authority: the others may come and go. */
const signerOf = (authority: string): string => certificateIn(authority)?.fingerprint256 ?? authority;

export const provider = keptOnce(implemented, ["karmadaKubeconfig"]);

async function certify(inputs: AgentCertificateInputs): Promise<AgentCertificateOutputs> {
  const { cluster, karmadaKubeconfig, timeoutSeconds } = inputs;
  const plane = await connect(karmadaKubeconfig);
  return certifyAgent(plane, parseKubeconfig(karmadaKubeconfig), cluster, inputs, deadlineIn(timeoutSeconds));
}
