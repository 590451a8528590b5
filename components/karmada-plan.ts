import type * as pulumi from "@pulumi/pulumi";
import { type ComponentName, componentNames } from "../spec/control-plane/component-names.ts";
import type { Deployment } from "../spec/deployment.ts";
import { certificatesOfAddons } from "./addon-certificates.ts";
import { administrator } from "./administrator.ts";
import { planBalancers } from "./balancers.ts";
import { clientCertificate } from "./client-kubeconfig.ts";
import { versionsOfData } from "./data-versions.ts";
import type { Encryption } from "./encryption.ts";
import { planBackups } from "./etcd-backup-schedule.ts";
import { allMembers, type EtcdPlan, planEtcd, risksOfCluster } from "./etcd-plan.ts";
import { planEtcdProxies } from "./etcd-proxies.ts";
import { agentOf, type FleetPlan, planFleet } from "./fleet.ts";
import type { PkiArgs } from "./pki.ts";
import { lifetimesOf } from "./pki/lifetimes.ts";
import type { FileContents, Placement } from "./placement.ts";
import type { Process } from "./process.ts";
import { type ControlPlaneProcesses, controlPlaneProcesses, type Places } from "./processes/control-plane.ts";
import { givenFile } from "./processes/settings.ts";
import { scraper } from "./scraper.ts";
import { planSimulation, type SimulationPlan } from "./simulation.ts";

type Settings = Deployment<pulumi.Output<string>>;

/** What will run, before anything exists. */
export interface Plan {
  readonly etcd: EtcdPlan;
  /** The proxies that lead clients on hosts to etcd. */
  readonly etcdProxies: readonly Process[];
  readonly controlPlane: ControlPlaneProcesses;
  /** The haproxies in front of the API servers. */
  readonly balancers: readonly Process[];
  /** Takes scheduled snapshots; undefined when nothing is scheduled. */
  readonly backups: Process | undefined;
  readonly simulation: SimulationPlan;
  readonly fleet: FleetPlan;
}

/** Every process of a deployment, as its placement runs it. */
export function planAll(deployment: Settings, places: Places): Plan {
  const etcd = planEtcd(deployment);
  const controlPlane = controlPlaneProcesses(deployment, etcd.connection, places);
  return {
    etcd,
    etcdProxies: planEtcdProxies(deployment, etcd.connection),
    controlPlane,
    balancers: planBalancers(deployment, controlPlane),
    backups: planBackups(deployment, etcd),
    simulation: planSimulation(deployment),
    fleet: planFleet(deployment),
  };
}

/** Contents of the control plane's files that are given rather than derived, by component. */
export const givenOf = (
  { controlPlane }: Settings,
  encryption: Pick<Encryption, "files"> | undefined,
): Readonly<Partial<Record<ComponentName, FileContents>>> =>
  Object.fromEntries(
    componentNames.map((component) => {
      const typed = Object.entries(controlPlane[component].files);
      const files = Object.fromEntries(typed.map(([name, content]) => [givenFile(name), content]));
      return [component, { ...files, ...(component === "kube-apiserver" && encryption?.files) }];
    }),
  );

/**
 * The programs that remember what the control plane's etcd held, in the order they start in. A restore cannot reach
 * agents in members; they are restarted after it.
 */
export const programsEndedByRestore = ({ controlPlane, fleet }: Plan): string[] =>
  [...Object.values(controlPlane).flat(), ...fleet.agents.values()].map((process) => process.name);

/**
 * The programs that keep using the token of a member that they first read. What a member's agent does,
 * karmada-controller-manager does not.
 */
export const tokenHolders = (plan: Plan, member: string): string[] =>
  namesOf(
    plan,
    holders.filter((component) => component !== "karmada-controller-manager" || !agentOf(plan.fleet, member)),
  );

/**
 * The programs that keep using the token that they first read, of a member of another stack, whose mode is not known
 * here.
 */
export const allTokenHolders = (plan: Plan): string[] => namesOf(plan, holders);

const holders = ["karmada-controller-manager", "karmada-search", "karmada-metrics-adapter"] as const;

/** The programs that keep asking a member's estimator where they first found it. */
export const estimatorAskers = (plan: Plan): string[] => namesOf(plan, ["karmada-scheduler", "karmada-descheduler"]);

const namesOf = ({ controlPlane }: Plan, components: readonly ComponentName[]): string[] =>
  components.flatMap((component) => controlPlane[component].map((process) => process.name));

/** What puts the data at risk when it changes, for the snapshot before a change. */
export const risksOf = (deployment: Settings): Record<string, string> => ({
  ...versionsOfData(deployment),
  ...(deployment.etcd.kind === "managed" && risksOfCluster(deployment.etcd)),
});

/** The declared restore, done or not. */
export const restoreOf = ({ etcd }: Settings) => (etcd.kind === "managed" ? etcd.restore : undefined);

/** Certificates are made in this order: what starts first comes first. */
export function pkiArgs({ pki, monitoring, addons }: Settings, plan: Plan, placement: Placement): PkiArgs {
  const simulated = [...plan.simulation.members.values()].flatMap((processes) => Object.values(processes));
  return {
    placement,
    processes: [
      ...allMembers(plan.etcd),
      ...(plan.simulation.etcd === undefined ? [] : [plan.simulation.etcd]),
      ...plan.etcdProxies,
      ...Object.values(plan.controlPlane).flat(),
      ...(plan.backups === undefined ? [] : [plan.backups]),
      ...simulated,
      ...plan.fleet.agents.values(),
      ...plan.fleet.agentsInMembers.values(),
      ...plan.fleet.estimators.values(),
    ],
    requests: [
      ...plan.etcd.requests,
      administrator,
      ...(monitoring.enabled ? [scraper] : []),
      ...certificatesOfAddons(addons),
      ...pki.clients.map(clientCertificate),
    ],
    ...(plan.etcd.imported === undefined ? {} : { imported: plan.etcd.imported }),
    given: pki,
    keys: pki.authorityKeys,
    lifetimes: lifetimesOf(pki),
  };
}
