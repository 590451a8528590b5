import * as pulumi from "@pulumi/pulumi";
import type { AuthorityKeys } from "../spec/authority-keys.ts";

/** What a stack has been, as far as it tells. */
export interface StackSoFar {
  /** Name of its deployment. */
  readonly deployedAs: string;
  /** The keys of authorities that were declared. */
  readonly authorityKeys: AuthorityKeys;
}

/**
 * The running stack at its last completed `up`; undefined when there is none, or it cannot be told. Not a
 * StackReference, which would be one more resource in each state.
 */
export async function stackSoFar(): Promise<StackSoFar | undefined> {
  const name = [pulumi.getOrganization(), pulumi.getProject(), pulumi.getStack()].join("/");
  const found = await pulumi.runtime.invoke("pulumi:pulumi:readStackOutputs", { name }).catch(() => undefined);
  const { joining, etcdAccess, authorityKeys = {} } = (found as { outputs?: Outputs } | undefined)?.outputs ?? {};
  const deployedAs = (joining ?? etcdAccess)?.deployment;
  return deployedAs === undefined ? undefined : { deployedAs, authorityKeys };
}

interface Outputs {
  readonly joining?: { readonly deployment?: string };
  /** An etcd by itself gives out no more. */
  readonly etcdAccess?: { readonly deployment?: string };
  readonly authorityKeys?: AuthorityKeys;
}
