import type * as pulumi from "@pulumi/pulumi";
import { partDeployment } from "../lib/snapshots/manifest.ts";
import type { Deployment } from "../spec/deployment.ts";
import { firstGroup, overrideMembers } from "../spec/etcd/overrides.ts";
import type { Versions } from "../spec/versions.ts";
import type { PkiArgs } from "./pki.ts";
import { type CertificateRequest, type Process, urls } from "./process.ts";
import { client } from "./processes/certificates.ts";
import type { EtcdConnection } from "./processes/etcd-client.ts";
import { externalClient, externalEtcd, externalKeeper, managedEtcd } from "./processes/etcd-cluster.ts";
import { restoreOfPart } from "./restore-settings.ts";

type Settings = Deployment<pulumi.Output<string>>["etcd"];

/** What is known of etcd before anything exists. */
export type EtcdPlan = ManagedPlan | ExternalPlan;

/** A cluster of our own, with others beside it. */
export interface ManagedPlan extends ClusterPlan {
  /** Further clusters, each for some kinds of objects. */
  readonly overrides: readonly (ClusterPlan & { readonly name: string })[];
}

/** One cluster. */
export interface ClusterPlan extends CommonPlan {
  readonly settings: Settings & { readonly kind: "managed" };
  /**
   * The deployment's token, for further clusters with their name: members of different clusters never take each other
   * for their own.
   */
  readonly token: string;
  readonly version: string;
}

/** The use of an etcd that exists. */
export interface ExternalPlan extends CommonPlan {
  readonly settings: Settings & { readonly kind: "external" };
  /** Where this program reaches it. @default as the control plane does */
  readonly outside?: readonly string[];
}

interface CommonPlan {
  /** Name of the deployment. */
  readonly deployment: string;
  /** Members of our own; none when it is external. */
  readonly members: readonly Process[];
  readonly connection: EtcdConnection;
  /** Certificates we show to look after it. */
  readonly requests: readonly CertificateRequest[];
  /** Its certificates that others issued. */
  readonly imported?: NonNullable<PkiArgs["imported"]>;
}

/** Plans a cluster of our own or the use of one that exists. */
export function planEtcd({
  etcd,
  versions,
  name,
}: Pick<Deployment<pulumi.Output<string>>, "etcd" | "name"> & { readonly versions: Pick<Versions, "etcd"> }): EtcdPlan {
  switch (etcd.kind) {
    case "managed":
      return planManaged(name, etcd, versions.etcd);
    case "external":
      return {
        settings: etcd,
        deployment: name,
        members: [],
        connection: externalEtcd(etcd),
        ...(etcd.outside !== undefined && { outside: etcd.outside }),
        requests: [],
        imported: {
          authorities: { etcd: etcd.ca },
          certificates: {
            [externalClient]: { certificate: etcd.certificate, key: etcd.key },
            ...(etcd.maintenance && { [externalKeeper]: etcd.maintenance }),
          },
        },
      };
  }
}

/** Plans a cluster of our own, with its overrides. */
export function planManaged(deployment: string, etcd: ClusterPlan["settings"], version: string): ManagedPlan {
  const overrides = etcd.overrides.map((override) => ({
    name: override.name,
    ...planCluster(overrideSettings(etcd, override), version, deployment, override.name),
  }));
  const { connection, ...first } = planCluster(etcd, version, deployment);
  const holders = etcd.overrides.map((override) => ({
    resources: override.resources,
    servers: [urls("client", overrideMembers(override), ";")],
  }));
  return { ...first, overrides, connection: { ...connection, overrides: holders } };
}

/** Whether the clusters are our own. */
export const isManaged = (plan: EtcdPlan): plan is ManagedPlan => plan.settings.kind === "managed";

/** The clusters that hold some kinds of objects. */
export const overridesOf = (plan: EtcdPlan): ManagedPlan["overrides"] => (isManaged(plan) ? plan.overrides : []);

/** All clusters of our own. */
export const ownClusters = (plan: EtcdPlan): readonly ClusterPlan[] =>
  isManaged(plan) ? [plan, ...plan.overrides] : [];

/** Every member of our own, whatever it holds. */
export const allMembers = (plan: EtcdPlan): readonly Process[] => ownClusters(plan).flatMap(({ members }) => members);

/** What puts the data of a cluster of our own at risk when it changes, besides its version. */
export const risksOfCluster = ({
  members,
  quota,
  replace,
  overrides,
}: ClusterPlan["settings"]): Record<string, string> => ({
  members: members.join(","),
  quota,
  replace: JSON.stringify(replace),
  ...(overrides.length > 0 && { overrides: JSON.stringify(overrides) }),
});

/** @param part name of the cluster, if it holds only some kinds of objects */
const planCluster = (
  settings: ClusterPlan["settings"],
  version: string,
  deployment: string,
  part?: string,
): ClusterPlan => ({
  settings,
  deployment,
  token: part === undefined ? deployment : partDeployment(deployment, part),
  version,
  ...managedEtcd({ ...settings, version, ...groupOf(settings, part) }),
  requests: [healthClient],
});

/** The group that tells members of several clusters apart. */
const groupOf = ({ overrides }: Pick<ClusterPlan["settings"], "overrides">, part: string | undefined) =>
  part === undefined && overrides.length === 0 ? {} : { group: part ?? firstGroup };

/** A cluster for some kinds of objects has the first one's settings. */
function overrideSettings(
  { restore, ...settings }: ClusterPlan["settings"],
  override: ClusterPlan["settings"]["overrides"][number],
): ClusterPlan["settings"] {
  const { quota, replace } = override;
  const ofPart = restore && restoreOfPart(restore, override.name);
  return {
    ...settings,
    members: overrideMembers(override),
    quota,
    replace,
    overrides: [],
    ...(ofPart && { restore: ofPart }),
  };
}

/** Kubernetes' name for the identity that looks after etcd. */
export const healthClient = client("etcd-healthcheck-client", "etcd-healthcheck-client", "etcd");
