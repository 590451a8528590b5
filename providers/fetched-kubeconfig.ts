import type * as pulumi from "@pulumi/pulumi";
import type { SshHostAddress } from "../lib/hosts/address.ts";
import { type AsInputs, DynamicResource, forwarding } from "./dynamic.ts";

export interface FetchedKubeconfigInputs {
  /** The member's name in Karmada. Changing it replaces. */
  readonly cluster: string;
  /** The host it lies on. */
  readonly host: SshHostAddress;
  /** Where it may be there; the first that exists is taken. */
  readonly paths: readonly string[];
  /** URL of the API server. @default its own, with the host's address in place of a loopback one */
  readonly server?: string;
  /** Context to use. @default the current one */
  readonly context?: string;
  /** How long the host may take to return it. */
  readonly timeoutSeconds: number;
}

export interface FetchedKubeconfigOutputs {
  /** Reduced to the context in use and what that needs. */
  readonly kubeconfig: string;
  /** Where it was. */
  readonly path: string;
  /** End of its client certificate, RFC 3339; absent without one. */
  readonly expires?: string;
}

const provider = forwarding("fetched-kubeconfig-impl");

/**
 * A kubeconfig from a host of a cluster. It is fetched again when a refresh finds another one there, when any of its
 * inputs change, and in the last 30 days of its certificate. Deleting it changes nothing on the host.
 */
export class FetchedKubeconfig extends DynamicResource<FetchedKubeconfigInputs> {
  declare readonly kubeconfig: pulumi.Output<string>;
  declare readonly path: pulumi.Output<string>;
  declare readonly expires: pulumi.Output<string | undefined>;

  constructor(name: string, args: AsInputs<FetchedKubeconfigInputs>, opts?: pulumi.CustomResourceOptions) {
    const secrets = { secretInputs: ["host"], secretOutputs: ["kubeconfig"] };
    const type = { outputs: ["kubeconfig", "path", "expires"], ...secrets };
    super(provider, { module: "members", type: "FetchedKubeconfig", ...type }, name, args, opts);
  }
}
