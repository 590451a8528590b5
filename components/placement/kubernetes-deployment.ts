import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { bundledProgram } from "../../lib/own-bundle.ts";
import type { KubernetesPlacement } from "../../spec/deployment.ts";
import { seconds } from "../../spec/values/units.ts";
import type { Process } from "../process.ts";
import { type Home, labelsOf, metadataOf, selectorOf } from "./kubernetes-objects.ts";
import { aloneLabels, needsOwnNode } from "./kubernetes-pod.ts";
import { newestPods } from "./newest-pods.ts";

type Settings = Pick<KubernetesPlacement<unknown>, "rolloutTimeout" | "antiAffinity" | "labels" | "annotations">;

/** The pods of a process. */
export interface Pods {
  /** Digest of their files: a change replaces the pods. */
  readonly files: pulumi.Input<string>;
  readonly spec: k8s.types.input.core.v1.PodSpec;
  readonly settings: Settings;
  /** A change recreates pods that are gone. */
  readonly follows: pulumi.Output<string> | undefined;
}

/** A Deployment with a pod for each copy of a process. */
export function deploymentOf(
  home: Home,
  process: Process,
  { files, spec, settings, follows }: Pods,
  opts: pulumi.CustomResourceOptions,
): k8s.apps.v1.Deployment {
  const { rolloutTimeout, labels, annotations } = settings;
  const { program } = process;
  return new k8s.apps.v1.Deployment(
    `${home.name}-${process.name}`,
    {
      metadata: {
        ...metadataOf(home, process),
        annotations: {
          "pulumi.com/waitFor": newestPods(process.copies ?? 1),
          // A difference, so that its pods are recreated.
          ...(follows && { "karmada-pulumi/follows": follows }),
        },
      },
      spec: {
        replicas: process.copies ?? 1,
        revisionHistoryLimit: 2,
        progressDeadlineSeconds: Math.ceil(seconds(rolloutTimeout)),
        strategy: strategyOf(process, settings),
        selector: { matchLabels: selectorOf(process) },
        template: {
          metadata: {
            labels: { ...labelsOf(process), ...aloneLabels(needsOwnNode(process, settings)), ...labels },
            annotations: {
              "karmada-pulumi/files": files,
              ...("main" in program && { "karmada-pulumi/program": bundledProgram(program.main).file.sha256 }),
              ...annotations,
            },
          },
          spec,
        },
      },
    },
    pulumi.mergeOptions(opts, { customTimeouts: { create: rolloutTimeout, update: rolloutTimeout } }),
  );
}

/** The new pod comes first, unless only an old one's node could take it, or it may not run beside one. */
function strategyOf(process: Process, settings: Settings) {
  if (process.recreate === true) return { type: "Recreate" };
  const away = needsOwnNode(process, settings);
  const rollingUpdate = away ? { maxSurge: 0, maxUnavailable: 1 } : { maxSurge: 1, maxUnavailable: 0 };
  return { type: "RollingUpdate", rollingUpdate };
}
