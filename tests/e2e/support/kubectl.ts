import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { install } from "../../../toolchain/index.ts";

/** kubectl against one cluster. */
export interface Kubectl {
  /** Standard output; throws with kubectl's own words when it fails. */
  (args: string[], input?: string): Promise<string>;
  /** `get ... -o json`, parsed. */
  get<T = Json>(...args: string[]): Promise<T>;
}

// Kubernetes objects as tests look at them: whatever field is asked for.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

/** A kubectl for a kubeconfig given as text, and what removes the file it was written to. */
export async function kubectlFor(kubeconfig: string): Promise<{ kubectl: Kubectl; remove: () => Promise<void> }> {
  const [program] = await install([{ name: "kubectl", version: "1.35.3" }]);
  const directory = await mkdtemp(join(tmpdir(), "kubectl-"));
  const file = join(directory, "kubeconfig");
  await writeFile(file, kubeconfig, { mode: 0o600 });
  const call = async (args: string[], input = "") => {
    const { stdout } = await execa(program!.path, [`--kubeconfig=${file}`, "--request-timeout=20s", ...args], {
      input,
      timeout: 60_000,
    });
    return stdout;
  };
  const kubectl = Object.assign(call, {
    get: async <T>(...args: string[]) => JSON.parse(await call(["get", ...args, "-o", "json"])) as T,
  });
  return { kubectl, remove: () => rm(directory, { recursive: true, force: true }) };
}

/** A kubectl for each kubeconfig that a test comes to; the files they were written to are removed together. */
export class Kubectls {
  readonly #removals: (() => Promise<void>)[] = [];

  async to(kubeconfig: string): Promise<Kubectl> {
    const { kubectl, remove } = await kubectlFor(kubeconfig);
    this.#removals.push(remove);
    return kubectl;
  }

  async remove(): Promise<void> {
    for (const remove of this.#removals.splice(0)) await remove();
  }
}

/** The status of a Cluster's condition Ready, should it have one yet. */
export const readyOf = (cluster: Json): string | undefined =>
  cluster.status?.conditions?.find((condition: Json) => condition.type === "Ready")?.status;

/** Waits until so many members are there and every one is Ready. */
export async function allReady(kubectl: Kubectl, count: number): Promise<void> {
  await eventually(
    () => kubectl.get("clusters"),
    ({ items }) => items.length === count && items.every((cluster: Json) => readyOf(cluster) === "True"),
    120,
  );
}

/** Waits until kinds are served. kubectl(1) does not wait for one that nobody has said anything of yet. @param which `-f <file>` or `crd/<name>` */
export async function established(kubectl: Kubectl, ...which: string[]): Promise<void> {
  const wait = ["wait", "--for=condition=Established", "--timeout=30s", ...which];
  await eventually(
    () => kubectl(wait),
    () => true,
  );
}

/** Asks again until the answer satisfies, at most so long; then fails with the last answer. */
export async function eventually<T>(
  ask: () => Promise<T>,
  satisfies: (answer: T) => boolean,
  seconds = 30,
): Promise<T> {
  const end = Date.now() + seconds * 1000;
  let last: T | Error;
  do {
    last = await ask().catch((error: unknown) => error as Error);
    if (!(last instanceof Error) && satisfies(last)) return last;
    await new Promise((resolve) => setTimeout(resolve, 200));
  } while (Date.now() < end);
  throw last instanceof Error
    ? last
    : new Error(`not so within ${seconds} s; the last answer: ${JSON.stringify(last, null, 2)}`);
}
