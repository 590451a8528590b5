import * as pulumi from "@pulumi/pulumi";
import type { AuthorityKeys } from "../spec/pki/authority-keys.ts";
import type { Program } from "../spec/program.ts";

/** What a stack has been, as far as it tells. */
export interface StackSoFar {
  readonly program: Extract<Program, "karmada" | "etcd">;
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
  const {
    joining,
    etcdClient,
    etcdAccess,
    authorityKeys = {},
  } = (found as { outputs?: Outputs } | undefined)?.outputs ?? {};
  // Releases before `joining` gave out etcdAccess of a deployment.
  const deployedAs = (etcdClient === undefined ? joining : etcdAccess)?.deployment;
  if (deployedAs === undefined) return undefined;
  return { program: etcdClient === undefined ? "karmada" : "etcd", deployedAs, authorityKeys };
}

interface Outputs {
  readonly joining?: { readonly deployment?: string };
  /** Given out by an etcd by itself alone, which then tells its name here. */
  readonly etcdClient?: unknown;
  readonly etcdAccess?: { readonly deployment?: string };
  readonly authorityKeys?: AuthorityKeys;
}
