import type { ComponentName } from "../../spec/control-plane/component-names.ts";
import { kmsOf } from "../../spec/control-plane/encryption-kms.ts";
import type { Deployment } from "../../spec/deployment.ts";
import { trustsSeveral } from "../../spec/pki/authority-keys.ts";
import { serviceClusterIpRange } from "../../spec/placement/kubernetes-choices.ts";
import { seconds } from "../../spec/values/units.ts";
import type { Placement } from "../placement.ts";
import { front, host, port, type Process, text } from "../process.ts";
import type { ApiServer } from "./api-client.ts";
import type { EtcdConnection } from "./etcd-client.ts";
import { karmadaAggregatedApiserverProcess } from "./karmada-aggregated-apiserver.ts";
import { karmadaApiserverProcess } from "./karmada-apiserver.ts";
import { karmadaControllerManagerProcess } from "./karmada-controller-manager.ts";
import { karmadaDeschedulerProcess } from "./karmada-descheduler.ts";
import { karmadaMetricsAdapterProcess } from "./karmada-metrics-adapter.ts";
import { karmadaSchedulerProcess } from "./karmada-scheduler.ts";
import { karmadaSearchProcess } from "./karmada-search.ts";
import { karmadaWebhookProcess } from "./karmada-webhook.ts";
import { kubeControllerManagerProcess } from "./kube-controller-manager.ts";
import { givenFiles } from "./settings.ts";

/** The replicas of each component; none if it is switched off. */
export type ControlPlaneProcesses = Readonly<Record<ComponentName, readonly Process[]>>;

/** The part of a placement that affects what runs. */
export type Places = Pick<Placement, "copies" | "endpoint" | "hostName">;

/**
 * Everything of the control plane except etcd. If the replicas of a program are copies of one process, there are
 * briefly two whenever one replaces another: so those that must work alone always elect a leader.
 */
export function controlPlaneProcesses(
  { controlPlane, pki }: Pick<Deployment<unknown>, "controlPlane" | "pki">,
  etcd: EtcdConnection,
  places: Places = {},
): ControlPlaneProcesses {
  const { copies = false } = places;
  const instances = copies ? only : replicas;
  const completed = (component: ComponentName, process: Process): Process => ({
    ...process,
    files: { ...process.files, ...givenFiles(controlPlane[component].files) },
    ...(copies && { copies: controlPlane[component].replicas }),
  });
  const apiservers = instances(apiserverName, controlPlane["kube-apiserver"]);
  const karmada = <T extends Exclude<ComponentName, "kube-apiserver">>(
    component: T,
    describe: (of: Instance) => Process,
  ) =>
    instances(component, controlPlane[component]).map((name, i, all) =>
      completed(
        component,
        describe({
          ...controlPlane[component],
          name,
          instances: all,
          elects: copies || all.length > 1,
          api: apiFor(name, i, apiservers, places),
          etcd,
          estimators: controlPlane["karmada-scheduler-estimator"].enabled,
          failover: controlPlane.failover,
          signRequests: pki.signRequests,
          trustsSeveral: trustsSeveral(pki, "karmada"),
          certificateValidity: pki.certificateValidity,
        }),
      ),
    );
  return {
    "kube-apiserver": apiservers.map((name) =>
      completed(
        "kube-apiserver",
        karmadaApiserverProcess({
          ...controlPlane["kube-apiserver"],
          name,
          etcd,
          serviceClusterIpRange,
          encrypts: controlPlane.encryption.provider !== "none",
          answersWithin: answersWithin(controlPlane.encryption),
          hosts: [...apiservers.map((apiserver) => [host(apiserver)]), ...pki.extraNames],
        }),
      ),
    ),
    "kube-controller-manager": karmada("kube-controller-manager", kubeControllerManagerProcess),
    "karmada-aggregated-apiserver": karmada("karmada-aggregated-apiserver", karmadaAggregatedApiserverProcess),
    "karmada-webhook": karmada("karmada-webhook", karmadaWebhookProcess),
    "karmada-search": karmada("karmada-search", karmadaSearchProcess),
    "karmada-metrics-adapter": karmada("karmada-metrics-adapter", karmadaMetricsAdapterProcess),
    "karmada-controller-manager": karmada("karmada-controller-manager", karmadaControllerManagerProcess),
    "karmada-scheduler": karmada("karmada-scheduler", karmadaSchedulerProcess),
    "karmada-descheduler": karmada("karmada-descheduler", karmadaDeschedulerProcess),
  };
}

/**
 * A plugin of a key service is asked for each resource, one after another, and a former plugin as well; undefined if
 * there is none.
 */
function answersWithin(encryption: Deployment<unknown>["controlPlane"]["encryption"]): `${number}s` | undefined {
  const kms = kmsOf(encryption);
  return kms && `${5 + 2 * encryption.resources.length * seconds(kms.timeout)}s`;
}

/** The first Karmada API server, which people and this program talk to. */
export const apiserverName = "karmada-apiserver";

/** A Karmada API server as its clients see it. */
export const karmadaApi = (apiserver = apiserverName): ApiServer => ({
  url: text`https://${host(apiserver)}:${port("secure", apiserver)}`,
  authority: "karmada",
});

/**
 * The API server on the host of a program. A program without one there uses the front, so that any of them may fail;
 * without a front, one of them in turn.
 */
function apiFor(program: string, i: number, apiservers: readonly string[], places: Places): ApiServer {
  const host = places.hostName?.(program);
  const beside = apiservers.find((apiserver) => places.hostName?.(apiserver) === host);
  if (beside === undefined && places.endpoint !== undefined) return frontOfApi;
  return karmadaApi(beside ?? apiservers[i % apiservers.length]);
}

/** The API servers as seen by a program with none on its host. */
export const frontOfApi: ApiServer = { url: text`https://${front("secure", apiserverName)}`, authority: "karmada" };

/** Everything any of the describing functions needs. */
type Instance = Parameters<typeof karmadaSearchProcess>[0] &
  Parameters<typeof karmadaControllerManagerProcess>[0] &
  Parameters<typeof karmadaSchedulerProcess>[0] &
  Parameters<typeof kubeControllerManagerProcess>[0];

interface Choices {
  readonly replicas: number;
  readonly enabled?: boolean;
}

const only = (name: string, { enabled }: Choices): readonly string[] => (enabled === false ? [] : [name]);

/** The first replica has the component's own name, so that growing from one to two replaces nothing. */
const replicas = (name: string, choices: Choices): readonly string[] =>
  only(name, choices).flatMap(() =>
    Array.from({ length: choices.replicas }, (_, i) => (i === 0 ? name : `${name}-${i}`)),
  );
