import { closest } from "../closest.ts";
import type { Problem } from "../problems.ts";
import { shown } from "../wording.ts";
import { memberProgramNames } from "./component-names.ts";
import { flagsOf, type ProgramName } from "./program-flags.ts";

interface Arguments {
  readonly extraArgs: Readonly<Record<string, unknown>>;
  readonly featureGates?: Readonly<Record<string, unknown>>;
}

/** Finds flags and feature gates that a version of a program does not know, and flags that may not be set. */
export function checkArguments(
  program: ProgramName,
  { extraArgs, featureGates = {} }: Arguments,
  version: string,
  path: readonly (string | number)[],
): Problem[] {
  const known = flagsOf(program, version);
  const unknown = (what: string, word: string, words: ReadonlySet<string>) => {
    const meant = closest(word, words);
    return `${program} ${version} has no ${what} of this name${meant ? `, did you mean "${meant}"?` : ""}`;
  };
  const flags = Object.entries(extraArgs).flatMap(([flag, value]) => {
    const message = known.flags.has(flag) ? taken(program, flag, value) : unknown("flag", flag, known.flags);
    return message ? [{ path: [...path, "extraArgs", flag], message }] : [];
  });
  const gates = Object.keys(featureGates).filter((gate) => !known.featureGates.has(gate));
  return [
    ...flags,
    ...gates.map((gate) => ({
      path: [...path, "featureGates", gate],
      message: known.flags.has("feature-gates")
        ? unknown("feature gate", gate, known.featureGates)
        : `${program} ${version} has no feature gates`,
    })),
  ];
}

/** Why a flag may not be set by hand, if so: another setting covers it, or others rely on its value. */
function taken(program: ProgramName, flag: string, value: unknown): string | undefined {
  if (flag === "feature-gates" && program !== "etcd") return "want feature gates in featureGates";
  if (flag === "quota-backend-bytes") return "want the size of the database in etcd.quota";
  if (flag === "anonymous-auth")
    return "want this left out: without a login it is asked whether it serves. That alone is let in by a file for authentication-config with `anonymous: {enabled: true, conditions: [{path: /readyz}]}`";
  if (flag === "authorization-mode" && /\b(Node|RBAC)\b/.test(String(value)))
    return `got ${shown(value)}, want only those that come after Node and RBAC, which are set, or a file for authorization-config`;
  if (flag === "service-account-signing-endpoint")
    return "want this left out: kube-apiserver does not start with it beside the key that signs tokens, which is made here";
  if (electionFlags.has(flag))
    return "this flag is set from replicas: one of them works at a time, by a lease where they have a right to it";
  if (addressFlags.has(flag))
    return "this flag is set by the placement, which gives every program its address and ports";
  if (identityFlags.has(flag) || (flag === "cluster-name" && servesMember(program)))
    return "this flag is set from what etcd and the certificates are";
  return undefined;
}

const electionFlags: ReadonlySet<string> = new Set(["leader-elect", "leader-elect-resource-namespace"]);

const addressFlags: ReadonlySet<string> = new Set([
  "bind-address",
  "secure-port",
  "server-port",
  "metrics-bind-address",
  "health-probe-bind-address",
  "listen-client-urls",
  "listen-peer-urls",
  "listen-metrics-urls",
  "advertise-client-urls",
  "initial-advertise-peer-urls",
  "data-dir",
]);

/** Kubernetes' own programs have a flag `cluster-name` too, which may be set. */
const servesMember = (program: ProgramName): boolean => (memberProgramNames as readonly string[]).includes(program);

const identityFlags: ReadonlySet<string> = new Set([
  "name",
  "initial-cluster",
  "initial-cluster-state",
  "initial-cluster-token",
  "force-new-cluster",
  "wal-dir",
  "config-file",
  "enable-grpc-gateway",
  "listen-client-http-urls",
  "client-cert-auth",
  "trusted-ca-file",
  "cert-file",
  "key-file",
  "auto-tls",
  "peer-client-cert-auth",
  "peer-trusted-ca-file",
  "peer-cert-file",
  "peer-key-file",
  "peer-auto-tls",
  "etcd-servers",
  "etcd-prefix",
  "etcd-cafile",
  "etcd-certfile",
  "etcd-keyfile",
  "kubeconfig",
  "karmada-kubeconfig",
  "karmada-context",
  "cluster-api-endpoint",
  "grpc-auth-cert-file",
  "grpc-auth-key-file",
  "grpc-client-ca-file",
  "authentication-kubeconfig",
  "authorization-kubeconfig",
  "client-ca-file",
  "tls-cert-file",
  "tls-private-key-file",
  "tls-cert-file-name",
  "tls-private-key-file-name",
  "cert-dir",
  "root-ca-file",
  "proxy-client-cert-file",
  "proxy-client-key-file",
  "requestheader-client-ca-file",
  "service-account-signing-key-file",
  "service-account-private-key-file",
  "master",
  "discovery",
  "discovery-endpoints",
  "discovery-srv",
  "discovery-token",
]);
