import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { type PreparedMember, preparedName } from "../../lib/etcd/kubernetes-member.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { KubernetesPlacement } from "../../spec/deployment.ts";
import type { Process } from "../process.ts";
import { type Home, labelsOf, metadataOf } from "./kubernetes-objects.ts";
import { aloneLabels } from "./kubernetes-pod.ts";

/** How a member of etcd is to run. */
export interface Member extends Pick<PreparedMember, "node" | "clientUrl" | "startSeconds"> {
  /** Spec of its pod. */
  readonly spec: object;
  /** Changes with the files it reads only at its start. */
  readonly files: pulumi.Output<string>;
  readonly storage: KubernetesPlacement<unknown>["storage"];
  /** Whether no two members may share a node. */
  readonly alone: boolean;
}

/** Prepares a member of etcd for its reconciler to start. */
export function preparedMember(
  home: Home,
  process: Process,
  { spec, files, storage: { size, storageClass, hostPath }, alone, ...more }: Member,
  opts: pulumi.CustomResourceOptions,
): { readonly resource: pulumi.Resource; readonly revision: pulumi.Output<string> } {
  const template = { metadata: { labels: { ...labelsOf(process), ...aloneLabels(alone) } }, spec };
  const claim = {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: size } },
    ...(storageClass !== undefined && { storageClassName: storageClass }),
  };
  const place = hostPath === undefined ? {} : { hostPath: { path: hostPath, alone } };
  const text = JSON.stringify(template);
  const revision = files.apply((contents) => sha256(`${text} ${contents}`).slice(0, 32));
  const resource = new k8s.core.v1.ConfigMap(
    `${home.name}-${process.name}`,
    {
      metadata: metadataOf(home, process, preparedName(process.name)),
      data: { revision, member: JSON.stringify({ template, claim, ...place, ...more }) },
    },
    opts,
  );
  return { resource, revision };
}
