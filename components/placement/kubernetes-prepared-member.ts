import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { type PreparedMember, preparedName } from "../../lib/etcd/kubernetes-member.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { KubernetesPlacement } from "../../spec/deployment.ts";
import { seconds } from "../../spec/values/units.ts";
import type { Process } from "../process.ts";
import { type Home, labelsOf, metadataOf } from "./kubernetes-objects.ts";
import { aloneLabels, needsOwnNode } from "./kubernetes-pod.ts";

type Settings = Pick<
  KubernetesPlacement<unknown>,
  "storage" | "antiAffinity" | "labels" | "annotations" | "rolloutTimeout"
> & { readonly images: { readonly node: string } };

/** How a member of etcd is to run. */
export interface Member extends Pick<PreparedMember, "clientUrl"> {
  /** Spec of its pod. */
  readonly spec: object;
  /** Changes with the files it reads only at its start. */
  readonly files: pulumi.Output<string>;
  readonly settings: Settings;
}

/** Prepares a member of etcd for its reconciler to start. */
export function preparedMember(
  home: Home,
  process: Process,
  { spec, files, settings, clientUrl }: Member,
  opts: pulumi.CustomResourceOptions,
): { readonly resource: pulumi.Resource; readonly revision: pulumi.Output<string> } {
  const { labels, annotations, images, rolloutTimeout } = settings;
  const { size, storageClass, hostPath } = settings.storage;
  const alone = needsOwnNode(process, settings);
  const metadata = {
    labels: { ...labelsOf(process), ...aloneLabels(alone), ...labels },
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
  const template = { metadata, spec };
  const claim = {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: size } },
    ...(storageClass !== undefined && { storageClassName: storageClass }),
  };
  const place = hostPath === undefined ? {} : { hostPath: { path: hostPath, alone } };
  const more = { node: images.node, clientUrl, startSeconds: seconds(rolloutTimeout) };
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
