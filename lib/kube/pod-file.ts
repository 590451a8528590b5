import { Writable } from "node:stream";
import { connect, type KubeObject } from "./client.ts";
import { execIn } from "./exec.ts";
import { namespacedPath } from "./paths.ts";
import { containerStatus } from "./pod.ts";

/** The pod of a program of ours, whatever its present name. */
export interface ProgramPod {
  /** Kubeconfig of the host cluster. */
  readonly kubeconfig: string;
  readonly namespace: string;
  /** Value of its label `app.kubernetes.io/instance`. */
  readonly instance: string;
  readonly container: string;
}

/** Reads a small file from a pod that has Node.js. @returns undefined when there is no running pod, or no such file */
export async function readPodFile(
  { kubeconfig, namespace, instance, container }: ProgramPod,
  path: string,
): Promise<string | undefined> {
  const client = await connect(kubeconfig);
  const query = { labelSelector: `app.kubernetes.io/instance=${instance}` };
  const { items } = await client.get<{ items: KubeObject[] }>(namespacedPath(namespace, "pods"), { query });
  const pod = items.find((each) => runs(each, container))?.metadata?.name;
  if (pod === undefined) return undefined;
  const chunks: Buffer[] = [];
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk);
      done();
    },
  });
  const command = ["node", "-e", reading, path];
  await execIn({ kubeconfig, namespace, pod, container }, command, { output, seconds });
  return chunks.length === 0 ? undefined : Buffer.concat(chunks).toString();
}

/** Prints nothing for a missing file. */
const reading = `const { existsSync, readFileSync } = require("node:fs");
if (existsSync(process.argv[1])) process.stdout.write(readFileSync(process.argv[1]));`;

const seconds = 20;

const runs = (pod: KubeObject, container: string): boolean =>
  pod.metadata?.deletionTimestamp === undefined && containerStatus(pod, container)?.["state"]?.running !== undefined;
