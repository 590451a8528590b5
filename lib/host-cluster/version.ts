import type { KubeClient } from "../kube/client.ts";
import { error, type Finding, type HostClusterNeeds } from "./needs.ts";

/** Finds that the cluster is too old for what is used of it. */
export async function judgeVersion(
  client: KubeClient,
  { oldest }: Pick<HostClusterNeeds, "oldest">,
): Promise<Finding[]> {
  const { gitVersion } = await client.get<{ gitVersion: string }>("/version");
  if (!isOlder(gitVersion, oldest)) return [];
  return [error("oldest", `the host cluster has Kubernetes ${gitVersion}, want ${oldest} or newer`)];
}

/** Whether `v1.22.17` is older than `1.23`. Patches do not count. */
export function isOlder(version: string, than: string): boolean {
  const [major, minor] = numbersOf(version);
  const [wantedMajor, wantedMinor] = numbersOf(than);
  return major < wantedMajor || (major === wantedMajor && minor < wantedMinor);
}

function numbersOf(version: string): [number, number] {
  const [, major = 0, minor = 0] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  return [Number(major), Number(minor)];
}
