import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Helm, HelmFailed } from "./helm.ts";

/** A chart that is somewhere else. */
export type RemoteChart =
  | { readonly kind: "repository"; readonly url: string; readonly chart: string; readonly version: string }
  | { readonly kind: "oci"; readonly reference: string; readonly version: string };

/** Fetches a packaged chart into a directory that is there. @returns its path @throws HelmFailed */
export async function fetchChart(helm: Helm, remote: RemoteChart, directory: string): Promise<string> {
  const into = join(directory, "chart");
  await mkdir(into);
  const from = argumentsOf(remote);
  try {
    await helm.run(["pull", ...from, "--version", remote.version, "--destination", into]);
  } catch (error) {
    if (!(error instanceof HelmFailed)) throw error;
    const newest = await newestOf(helm, from);
    throw newest === undefined || newest === remote.version
      ? error
      : new HelmFailed(`${error.message}; its newest version is ${newest}`);
  }
  const [name] = await readdir(into);
  if (name === undefined) throw new HelmFailed("helm pull gave no file");
  return join(into, name);
}

const argumentsOf = (remote: RemoteChart): string[] =>
  remote.kind === "oci" ? [remote.reference] : [remote.chart, "--repo", remote.url];

/** The newest version there is; undefined where there is no such chart. */
async function newestOf(helm: Helm, from: readonly string[]): Promise<string | undefined> {
  try {
    return /^version: "?([^\s"]+)/m.exec(await helm.run(["show", "chart", ...from]))?.[1];
  } catch {
    return undefined;
  }
}
