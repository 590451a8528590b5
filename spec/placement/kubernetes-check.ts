import { closest } from "../closest.ts";
import type { Context } from "../context.ts";
import { programsByPublisher } from "../control-plane/program-flags.ts";
import { checkKubeconfigAt } from "../credentials.ts";
import type { TypedEtcd } from "../etcd/etcd.ts";
import { firstKind, mostMembers, offsetOf } from "../etcd/overrides.ts";
import type { Problem } from "../problems.ts";
import type { TypedExposure } from "./exposure.ts";
import type { TypedKubernetes } from "./kubernetes.ts";
import { podPrograms } from "./pod-settings.ts";
import { checkLogin } from "./registry-login.ts";

/** Finds a kubeconfig that cannot work, duplicate ports, programs without an image or a pod, and invalid logins. */
export function checkKubernetes(typed: TypedKubernetes, context: Context): Problem[] {
  const { credentials, exposure, images, storage, pods } = typed;
  return [
    ...checkKubeconfigAt(["placement", "credentials"], credentials, context),
    ...checkExposure(exposure),
    ...checkStorage(storage),
    ...checkImages(images),
    ...unknownPrograms(["pods"], pods, podPrograms),
    ...checkLogin(["placement", "images", "login"], images.login),
  ];
}

/** Two places for the same data, or one that is empty after a reboot of the node. */
function checkStorage({ storageClass, hostPath }: TypedKubernetes["storage"]): Problem[] {
  if (hostPath === undefined) return [];
  const both =
    storageClass === undefined ? [] : [problem(["storage"], "has storageClass and hostPath, want one of them")];
  const passing = passingPlaces.find((place) => `${hostPath}/`.startsWith(`${place}/`));
  if (passing === undefined) return both;
  const message = `got "${hostPath}", want a directory that stays: ${passing} does not outlive a node's restart`;
  return [...both, problem(["storage", "hostPath"], message)];
}

const passingPlaces = ["/tmp", "/var/tmp", "/run", "/var/run", "/dev", "/proc", "/sys"];

/** Two things at one address and port. */
function checkExposure(exposure: TypedExposure): Problem[] {
  switch (exposure.kind) {
    case "nodePort":
    case "clusterIP":
      return checkPorts("apiServer", exposure.apiServer, exposure.etcd);
    case "loadBalancer": {
      const { address, port, etcd } = exposure;
      return address !== undefined && address === etcd.address ? checkPorts("port", port, etcd.port) : [];
    }
    case "ingress":
      return checkHost(exposure);
  }
}

/** One name for two programs. */
function checkHost({ host, etcdDomain }: Extract<TypedExposure, { kind: "ingress" }>): Problem[] {
  const [first = "", ...rest] = host.split(".");
  if (!first.startsWith("etcd-") || rest.join(".") !== etcdDomain) return [];
  const message = `got "${host}", want a name that does not begin with "etcd-": members of etcd have those below etcdDomain`;
  return [problem(["exposure", "host"], message)];
}

function checkPorts(field: string, apiServer: number, etcd: number, whose = "etcd's"): Problem[] {
  const last = etcd + mostMembers - 1;
  if (apiServer < etcd || apiServer > last) return [];
  const message = `got ${apiServer}, want a port outside ${etcd}-${last}: these are ${whose}`;
  return [problem(["exposure", field], message)];
}

/** Finds images of unknown programs. */
export function checkImages({ pinned }: TypedKubernetes["images"]): Problem[] {
  return unknownPrograms(["images", "pinned"], pinned, programs);
}

function unknownPrograms(path: readonly string[], named: object, known: readonly string[]): Problem[] {
  const unknown = Object.keys(named).filter((program) => !known.includes(program));
  return unknown.map((program) => {
    const meant = closest(program, known);
    const advice = meant === undefined ? `want some of ${known.join(", ")}` : `did you mean "${meant}"?`;
    return problem([...path, program], `no such program, ${advice}`);
  });
}

/** Finds ports of etcds for some kinds of objects that are taken or invalid. */
export function checkEtcdInPods({ exposure }: TypedKubernetes, etcd: TypedEtcd): Problem[] {
  if (etcd.kind !== "managed" || etcd.overrides.length === 0 || exposure.kind === "ingress") return [];
  const isBalanced = exposure.kind === "loadBalancer";
  const [first, field] = isBalanced ? [exposure.etcd.port, ["etcd", "port"]] : [exposure.etcd, ["etcd"]];
  const [api, apiField] = isBalanced ? [exposure.port, "port"] : [exposure.apiServer, "apiServer"];
  const isShared = !isBalanced || (exposure.address !== undefined && exposure.address === exposure.etcd.address);
  return etcd.overrides.flatMap((override) => {
    const from = first + offsetOf[firstKind(override)];
    if (from + mostMembers - 1 > 65535) {
      const message = `got ${first}, want at most ${65536 - mostMembers - (from - first)}: members of etcd-${override.name} have ports from ${from} on`;
      return [problem(["exposure", ...field], message)];
    }
    return isShared ? checkPorts(apiField, api, from, `etcd-${override.name}'s`) : [];
  });
}

/** The last two serve one member each. */
const programs: readonly string[] = [
  ...programsByPublisher.etcd,
  ...programsByPublisher.kubernetes,
  ...programsByPublisher.karmada,
];

const problem = (path: readonly string[], message: string): Problem => ({ path: ["placement", ...path], message });
