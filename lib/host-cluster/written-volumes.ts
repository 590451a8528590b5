import type { KubeClient, KubeObject } from "../kube/client.ts";
import { error, type Finding, type HostClusterNeeds } from "./needs.ts";

/** Name of the claim by which a process has a volume. */
export const claimOf = (process: string, persistentVolume: string): string => `${process}-${persistentVolume}`;

/** Finds volumes of the host cluster that the deployment could not write to, or that would lose what is on them. */
export async function judgeWrittenVolumes(
  client: KubeClient,
  { namespace, writtenVolumes = {} }: Pick<HostClusterNeeds, "namespace" | "writtenVolumes">,
): Promise<Finding[]> {
  const found = await Promise.all(
    Object.entries(writtenVolumes).map(async ([name, wanted]) => {
      const volume = await client.find<Volume>(`/api/v1/persistentvolumes/${name}`);
      if (volume === undefined)
        return [
          `there is none: make one for the file system, with ReadWriteMany and persistentVolumeReclaimPolicy Retain`,
        ];
      return [...unfit(volume.spec, wanted.storageClass), ...taken(volume, `${namespace}/${wanted.claim}`)];
    }),
  );
  const names = Object.keys(writtenVolumes);
  return found.flatMap((problems, i) =>
    problems.map((problem) =>
      error("writtenVolumes", `PersistentVolume "${names[i]}" (snapshots.targets): ${problem}`),
    ),
  );
}

interface Volume extends KubeObject {
  readonly spec: {
    readonly accessModes?: readonly string[];
    readonly storageClassName?: string;
    readonly persistentVolumeReclaimPolicy?: string;
    readonly claimRef?: { readonly namespace?: string; readonly name?: string };
  };
  readonly status?: { readonly phase?: string };
}

function unfit(volume: Volume["spec"], wanted: string): string[] {
  const { accessModes = [], storageClassName = "", persistentVolumeReclaimPolicy = "Retain" } = volume;
  const problems: string[] = [];
  if (!accessModes.includes("ReadWriteMany"))
    problems.push(`its accessModes are ${accessModes.join(", ")}, want ReadWriteMany among them`);
  if (storageClassName !== wanted)
    problems.push(`its storage class is "${storageClassName}", want that in volume.storageClass, got "${wanted}"`);
  if (persistentVolumeReclaimPolicy !== "Retain")
    problems.push(
      `its persistentVolumeReclaimPolicy is ${persistentVolumeReclaimPolicy}, want Retain: with the namespace of the deployment its snapshots would be deleted`,
    );
  return problems;
}

/** Also when by an earlier claim of the same name. */
function taken({ metadata, spec, status }: Volume, ours: string): string[] {
  const { claimRef } = spec;
  if (claimRef === undefined) return [];
  const holder = `${claimRef.namespace}/${claimRef.name}`;
  const isReleased = status?.phase === "Released";
  if (holder === ours && !isReleased) return [];
  const what = isReleased ? `it was that of ${holder}, which is gone` : `it is that of the claim ${holder}`;
  const release = `kubectl patch pv ${metadata?.name} --type json -p '[{"op":"remove","path":"/spec/claimRef"}]'`;
  return [`${what}, want one that no claim has${isReleased ? `; to give it to this one: ${release}` : ""}`];
}
