import * as pulumi from "@pulumi/pulumi";
import type { AdoptedProgram } from "../spec/adopted-program.ts";
import { componentNames } from "../spec/component-names.ts";
import type { Deployment, HostsPlacement, KubernetesPlacement, LocalPlacement } from "../spec/deployment.ts";
import type { EtcdProgram } from "../spec/etcd-program.ts";
import type { MembersProgram } from "../spec/members-program.ts";
import type { RestoreProgram } from "../spec/restore-program.ts";
import type { SnapshotProgram } from "../spec/snapshot-program.ts";

/** A deployment whose secrets are Pulumi secrets; everything else is plain, so programs can branch on it. */
export type ConfiguredDeployment = Deployment<pulumi.Output<string>>;

/** An etcd by itself, its secrets as Pulumi secrets. */
export type ConfiguredEtcd = EtcdProgram<pulumi.Output<string>>;

/** The members that join another stack's deployment, their secrets as Pulumi secrets. */
export type ConfiguredMembers = MembersProgram<pulumi.Output<string>>;

/** The snapshots of a deployment, their secrets as Pulumi secrets. */
export type ConfiguredSnapshots = SnapshotProgram<pulumi.Output<string>>;

/** What is to be restored, its secrets as Pulumi secrets. */
export type ConfiguredRestore = RestoreProgram<pulumi.Output<string>>;

/** A Karmada that something else has built, its secrets as Pulumi secrets. */
export type ConfiguredAdopted = AdoptedProgram<pulumi.Output<string>>;

/** Turns secret texts into Pulumi secrets; the type ensures that none is forgotten. */
export function sealed({
  pki,
  placement,
  etcd,
  controlPlane,
  members,
  teamMembers,
  snapshots,
  ...plain
}: Deployment): ConfiguredDeployment {
  return {
    ...plain,
    pki: sealedPki(pki),
    placement: sealedPlacement(placement),
    etcd: sealedEtcd(etcd),
    controlPlane: sealedComponents(controlPlane),
    members: sealedMembers(members),
    teamMembers: teamMembers.map(({ estimator, way, ...member }) => ({
      ...member,
      ...(estimator !== undefined && { estimator: pulumi.secret(estimator) }),
      ...(way !== undefined && { way: pulumi.secret(way) }),
    })),
    snapshots: sealedTargets(snapshots),
  };
}

/** Turns secret texts of an adopted Karmada's program into Pulumi secrets. */
export const sealedAdopted = ({ credentials, ...plain }: AdoptedProgram): ConfiguredAdopted => ({
  ...plain,
  credentials: { ...credentials, kubeconfig: pulumi.secret(credentials.kubeconfig) },
});

/** Turns secret texts of an etcd by itself into Pulumi secrets. */
export const sealedEtcdProgram = ({ placement, etcd, snapshots, ...plain }: EtcdProgram): ConfiguredEtcd => ({
  ...plain,
  placement: sealedPlacement(placement),
  etcd: sealedManaged(etcd),
  snapshots: sealedTargets(snapshots),
});

/** Turns secret texts of a stack of members into Pulumi secrets. */
export const sealedJoining = ({ members, ...plain }: MembersProgram): ConfiguredMembers => ({
  ...plain,
  members: sealedMembers(members),
});

const sealedMembers = (members: Deployment["members"]): ConfiguredDeployment["members"] =>
  members.map(({ credentials, agent, proxyHeader, ...member }) => ({
    ...member,
    proxyHeader: sealedTexts(proxyHeader),
    agent: agent.kind === "inMember" ? { ...agent, images: sealedImages(agent.images) } : agent,
    credentials: sealedCredentials(credentials),
  }));

function sealedCredentials(
  credentials: Deployment["members"][number]["credentials"],
): ConfiguredDeployment["members"][number]["credentials"] {
  switch (credentials.kind) {
    case "kubeconfig":
      return { ...credentials, kubeconfig: pulumi.secret(credentials.kubeconfig) };
    case "ssh": {
      const { login, ...plain } = credentials;
      return { ...plain, login: { ...sealedLogin(login), through: login.through.map((jump) => sealedLogin(jump)) } };
    }
    case "simulated":
      return credentials;
  }
}

function sealedComponents(controlPlane: Deployment["controlPlane"]): ConfiguredDeployment["controlPlane"] {
  const sealed = componentNames.map((component) => {
    const settings = controlPlane[component];
    return [component, { ...settings, files: sealedTexts(settings.files) }];
  });
  const keys = controlPlane.encryption.keys.map((key) => ({ ...key, secretText: pulumi.secret(key.secretText) }));
  const encryption = { ...controlPlane.encryption, keys };
  return { ...controlPlane, ...Object.fromEntries(sealed), encryption } as ConfiguredDeployment["controlPlane"];
}

function sealedPki({ authorities, serviceAccountKey, ...plain }: Deployment["pki"]): ConfiguredDeployment["pki"] {
  return {
    ...plain,
    authorities: Object.fromEntries(
      Object.entries(authorities).map(([name, authority]) => [
        name,
        { ...authority, key: pulumi.secret(authority.key) },
      ]),
    ),
    ...(serviceAccountKey !== undefined && { serviceAccountKey: pulumi.secret(serviceAccountKey) }),
  };
}

function sealedPlacement(placement: Deployment["placement"]): ConfiguredDeployment["placement"] {
  switch (placement.kind) {
    case "local":
      return { ...placement, hooks: sealedHooks(placement.hooks) };
    case "hosts":
      return sealedHosts(placement);
    case "kubernetes":
      return sealedKubernetes(placement);
  }
}

function sealedKubernetes(placement: KubernetesPlacement): KubernetesPlacement<pulumi.Output<string>> {
  const { credentials, images, hooks, ...plain } = placement;
  return {
    ...plain,
    hooks: sealedHooks(hooks),
    credentials: { ...credentials, kubeconfig: pulumi.secret(credentials.kubeconfig) },
    images: sealedImages(images),
  };
}

const sealedImages = <T extends { readonly login?: string }>({ login, ...plain }: T) => ({
  ...plain,
  ...(login !== undefined && { login: pulumi.secret(login) }),
});

function sealedHosts({ hosts, hooks, ...plain }: HostsPlacement): HostsPlacement<pulumi.Output<string>> {
  return {
    ...plain,
    hooks: sealedHooks(hooks),
    hosts: hosts.map(({ login, ...host }) => ({
      ...host,
      login:
        login.kind === "local"
          ? login
          : { ...sealedLogin(login), through: login.through.map((jump) => sealedLogin(jump)) },
    })),
  };
}

const sealedHooks = <T extends LocalPlacement["hooks"][number]>(hooks: readonly T[]) =>
  hooks.map(({ environment, ...hook }) => ({ ...hook, environment: sealedTexts(environment) }));

const sealedTexts = (texts: Readonly<Record<string, string>>): Record<string, pulumi.Output<string>> =>
  Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, pulumi.secret(value)]));

type Credentials = { readonly [K in "privateKey" | "passphrase" | "password"]?: string };

function sealedLogin<T extends Credentials>({ privateKey, passphrase, password, ...plain }: T) {
  return {
    ...plain,
    ...(privateKey !== undefined && { privateKey: pulumi.secret(privateKey) }),
    ...(passphrase !== undefined && { passphrase: pulumi.secret(passphrase) }),
    ...(password !== undefined && { password: pulumi.secret(password) }),
  };
}

function sealedEtcd(etcd: Deployment["etcd"]): ConfiguredDeployment["etcd"] {
  if (etcd.kind === "external") {
    const { maintenance, ...plain } = etcd;
    return {
      ...plain,
      key: pulumi.secret(etcd.key),
      ...(maintenance && { maintenance: { ...maintenance, key: pulumi.secret(maintenance.key) } }),
    };
  }
  return sealedManaged(etcd);
}

function sealedManaged({ restore, ...plain }: EtcdProgram["etcd"]): ConfiguredEtcd["etcd"] {
  return { ...plain, ...(restore && { restore: sealedRestore(restore) }) };
}

/** Turns secret texts of a stack of snapshots into Pulumi secrets. */
export function sealedSnapshots({ source, snapshots, ...plain }: SnapshotProgram): ConfiguredSnapshots {
  return {
    ...plain,
    source: source.kind === "endpoints" ? { ...source, key: pulumi.secret(source.key) } : source,
    snapshots: sealedTargets(snapshots),
  };
}

/** Turns secret texts of a stack that restores into Pulumi secrets. */
export function sealedRestoring({ restore, snapshots, ...plain }: RestoreProgram): ConfiguredRestore {
  return { ...plain, restore: sealedRestore(restore), snapshots: sealedTargets(snapshots) };
}

function sealedRestore({ source, ...plain }: RestoreProgram["restore"]): ConfiguredRestore["restore"] {
  if (source.kind !== "snapshot") return { ...plain, source };
  const { target, ...rest } = source;
  return { ...plain, source: { ...rest, ...(target && { target: sealedTarget(target) }) } };
}

function sealedTargets({ targets, ...plain }: Deployment["snapshots"]): ConfiguredDeployment["snapshots"] {
  return { ...plain, targets: targets.map(sealedTarget) };
}

type Target<Secret> = Deployment<Secret>["snapshots"]["targets"][number];

function sealedTarget(target: Target<string>): Target<pulumi.Output<string>> {
  if (target.kind !== "s3") return target;
  const { credentials, ...plain } = target;
  if (credentials.kind !== "keys") return { ...plain, credentials };
  return { ...plain, credentials: { ...credentials, secretAccessKey: pulumi.secret(credentials.secretAccessKey) } };
}
