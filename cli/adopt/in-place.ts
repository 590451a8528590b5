import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readMembers } from "../../lib/adoption/members.ts";
import { manifestText } from "../../lib/adoption/manifest.ts";
import { readObjects } from "../../lib/adoption/objects.ts";
import { readAdministrator } from "../../lib/adoption/plane.ts";
import { type HostCluster, withApiServer } from "../../lib/adoption/pod-access.ts";
import type { KubeObject } from "../../lib/kube/client.ts";
import { simpleName } from "../../toolchain/pulumi/stack-name.ts";
import { inPlaceReport } from "./in-place-report.ts";
import { writeStack } from "./write-stack.ts";

/** Where the stack is written, and how it finds the host cluster. */
export interface InPlace {
  readonly root: string;
  readonly stack: string;
  readonly host: HostCluster;
  /** Kubeconfig of the host cluster: its whole path. */
  readonly kubeconfig: string;
  readonly context: string | undefined;
}

/**
 * Writes a stack of the program `adopted`: the objects of a Karmada as manifests, and a stack file that names them. The host
 * cluster is only read.
 *
 * @returns the report
 * @throws with nothing left behind
 */
export async function adoptInPlace({ root, stack, host, kubeconfig, context }: InPlace): Promise<string> {
  const manifests = `adopted/${simpleName(stack)}`;
  const directory = join(root, manifests);
  if (existsSync(directory))
    throw new Error(`${directory}: is there already, name another stack with --stack, or delete it`);
  const { maker, apiserver, workloads, kubeconfig: own } = await readAdministrator(host.client, host.namespace);
  const [{ objects, left }, members] = await Promise.all([
    readObjects(host.client, host.namespace),
    withApiServer(host, apiserver, own, readMembers),
  ]);
  const credentials = { kind: "kubeconfigFile", path: kubeconfig, ...(context && { context }) };
  try {
    await writeManifests(directory, objects);
    const config = { program: "adopted", adopted: { credentials, namespace: host.namespace, manifests } };
    await writeStack(root, stack, { config, secrets: [] });
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
  return inPlaceReport({ maker, namespace: host.namespace, workloads, members, objects, left, stack, manifests });
}

async function writeManifests(directory: string, objects: readonly KubeObject[]): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const object of objects)
    await writeFile(join(directory, fileOf(object)), manifestText(object), { flag: "wx", mode: 0o600 });
}

/** Names may have dots and colons, and are unique in their kind. */
const fileOf = ({ kind = "", metadata }: KubeObject): string =>
  `${kind.toLowerCase()}-${(metadata?.name ?? "").replaceAll(":", "_")}.yaml`;
