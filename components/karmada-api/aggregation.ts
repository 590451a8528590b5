import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { base64 } from "../../lib/base64.ts";
import { ServedApis } from "../../providers/served-apis.ts";

/** The components that serve APIs through the API server. */
export const aggregatedComponents = [
  "karmada-aggregated-apiserver",
  "karmada-search",
  "karmada-metrics-adapter",
] as const;

export type AggregatedComponent = (typeof aggregatedComponents)[number];

/** A server behind the aggregation layer. */
export interface AggregatedBackend {
  readonly component: AggregatedComponent;
  readonly host: string;
  readonly port: number;
}

interface Api {
  readonly group: string;
  readonly version: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
}

/** The APIs each serves, with upstream's priorities. */
const apis: Readonly<Record<AggregatedComponent, readonly Api[]>> = {
  "karmada-aggregated-apiserver": [karmadaApi("cluster.karmada.io")],
  "karmada-search": [karmadaApi("search.karmada.io")],
  "karmada-metrics-adapter": [
    metricsApi("metrics.k8s.io", "v1beta1"),
    metricsApi("custom.metrics.k8s.io", "v1beta1"),
    metricsApi("custom.metrics.k8s.io", "v1beta2"),
  ],
};

/**
 * Makes the API server pass an API on, with verified TLS but without Kubernetes underneath: the aggregator dials the
 * external name of the Service and the port of the APIService, and verifies `<service>.<namespace>.svc`.
 *
 * @param after what has to exist before it passes anything on
 */
export function createAggregation(
  name: string,
  backend: AggregatedBackend,
  authority: pulumi.Output<string>,
  after: readonly pulumi.Resource[],
  opts: pulumi.CustomResourceOptions,
): readonly pulumi.Resource[] {
  const namespace = "karmada-system";
  const labels = { app: backend.component, apiserver: "true" };
  const service = new k8s.core.v1.Service(
    `${name}-${backend.component}`,
    {
      metadata: { name: backend.component, namespace, labels },
      spec: { type: "ExternalName", externalName: backend.host },
    },
    opts,
  );
  const caBundle = authority.apply(base64);
  return apis[backend.component].map(
    (api) =>
      new k8s.apiregistration.v1.APIService(
        `${name}-${api.version}.${api.group}`,
        {
          metadata: { name: `${api.version}.${api.group}`, labels },
          spec: { ...api, caBundle, service: { name: backend.component, namespace, port: backend.port } },
        },
        { ...opts, dependsOn: [service, ...after] },
      ),
  );
}

/**
 * Waits until calls to the APIs of a component are passed on to it.
 *
 * @param after what has to exist first
 */
export function awaitAggregation(
  name: string,
  { component }: AggregatedBackend,
  kubeconfig: pulumi.Output<string>,
  after: readonly pulumi.Resource[],
  opts: pulumi.CustomResourceOptions,
): void {
  new ServedApis(
    `${name}-${component}-served`,
    { kubeconfig, apis: apis[component].map(({ group, version }) => `${group}/${version}`), timeoutSeconds: 120 },
    { ...opts, dependsOn: [...after] },
  );
}

function karmadaApi(group: string): Api {
  return { group, version: "v1alpha1", groupPriorityMinimum: 2000, versionPriority: 10 };
}

function metricsApi(group: string, version: string): Api {
  return { group, version, groupPriorityMinimum: 100, versionPriority: 200 };
}
