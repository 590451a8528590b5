import type * as pulumi from "@pulumi/pulumi";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface AgentCertificateInputs {
  /** The member's name in Karmada. Changing it replaces. */
  readonly cluster: string;
  /** Kubeconfig of a Karmada administrator. */
  readonly karmadaKubeconfig: string;
  /** The trusted certificates of the signing authority, PEM: another one at their head reissues the certificate. */
  readonly authority: string;
  /** How long it is to be valid. */
  readonly validSeconds: number;
  /** With less than this left the next `up` renews it. */
  readonly renewBeforeSeconds: number;
  /** How long it may take. */
  readonly timeoutSeconds: number;
}

export interface AgentCertificateOutputs {
  /** PEM. */
  readonly certificate: string;
  /** PEM. Secret. */
  readonly key: string;
  /** RFC 3339. */
  readonly expires: string;
}

const provider = forwarding("agent-certificate-impl");

/**
 * A certificate for the agent of a member, which the control plane signs: with a short-lived bootstrap token and one
 * certificate request, both deleted afterwards. Deleting it deletes only what an interrupted run left of them.
 */
export class AgentCertificate extends DynamicResource<AgentCertificateInputs> {
  declare readonly certificate: pulumi.Output<string>;
  declare readonly key: pulumi.Output<string>;
  declare readonly expires: pulumi.Output<string>;

  constructor(name: string, args: AsInputs<AgentCertificateInputs>, opts?: pulumi.CustomResourceOptions) {
    const type = {
      module: "members",
      type: "AgentCertificate",
      outputs: ["certificate", "key", "expires"],
      secretInputs: ["karmadaKubeconfig"],
      secretOutputs: ["key"],
    };
    super(provider, type, name, args, opts);
  }
}
