import { createPrivateKey } from "node:crypto";
import { parseDocument } from "yaml";
import { closest } from "./closest.ts";
import { authorityIn, certificateIn, timeProblem } from "./pki/pem.ts";

interface Named {
  readonly name?: string;
  readonly [part: string]: unknown;
}
interface Kubeconfig {
  readonly "current-context"?: string;
  readonly clusters?: readonly Named[];
  readonly users?: readonly Named[];
  readonly contexts?: readonly Named[];
}

/**
 * Everything wrong with a kubeconfig that can be known without a network: it parses, has the context (the current one
 * when none is named), that context's cluster and user, something to log in with, no references to other files, and
 * certificates that are valid `now` and have their keys. Messages never repeat what is in it, other than names.
 */
export function checkKubeconfig(text: string, context: string | undefined, now: Date): string[] {
  const document = parseDocument(text);
  const error = document.errors[0];
  if (error)
    return [
      `this kubeconfig does not parse: ${error.code} in line ${error.linePos?.[0].line ?? "?"} of it (not shown: a secret)`,
    ];
  const config = contentOf(document);
  if (config === undefined)
    return ["this kubeconfig does not parse: it refers to what is not in it (not shown: a secret)"];
  if (typeof config !== "object" || config === null || !Array.isArray(config.contexts))
    return ["this is not a kubeconfig: it has no list of contexts"];
  const wanted = context ?? config["current-context"];
  if (!wanted) return ["this kubeconfig has no current context, want one in it or a context named beside it"];
  if (typeof wanted !== "string")
    return [`the current context of this kubeconfig is no text, want "${wanted}" in quotes`];
  const found = section(config.contexts, wanted, "context");
  if (!found) return [noSuch("context", wanted, config.contexts)];
  return [
    ...checkCluster(config, String(found.cluster ?? ""), now),
    ...checkUser(config, String(found.user ?? ""), now),
  ];
}

/** The content of a YAML text; undefined if it has an alias to nothing, which is no error before that. */
function contentOf(document: ReturnType<typeof parseDocument>): Kubeconfig | null | undefined {
  try {
    return document.toJS() as Kubeconfig | null;
  } catch {
    return undefined;
  }
}

/** The address of the API server a kubeconfig leads to; undefined when checkKubeconfig has complaints. */
export function serverOf(text: string, context: string | undefined): string | undefined {
  const config = parseDocument(text).toJS() as Kubeconfig;
  const found = section(config.contexts, context ?? config["current-context"] ?? "", "context");
  const cluster = section(config.clusters, String(found?.cluster ?? ""), "cluster");
  return cluster?.server as string | undefined;
}

function checkCluster(config: Kubeconfig, name: string, now: Date): string[] {
  const cluster = section(config.clusters, name, "cluster");
  if (!cluster) return [noSuch("cluster", name, config.clusters)];
  const server = String(cluster.server ?? "");
  return [
    ...(/^https:\/\/[^/\s]/.test(server) && URL.canParse(server)
      ? []
      : [`cluster "${name}" of this kubeconfig has no https server address`]),
    ...(isProxy(cluster["proxy-url"] ?? "")
      ? []
      : [`cluster "${name}" of this kubeconfig has no address in proxy-url, want one such as "http://10.0.0.1:3128"`]),
    ...checkEmbedded(cluster, ["certificate-authority"]),
    ...checkCertificate(cluster["certificate-authority-data"], "certificate authority", now, authorityIn),
  ];
}

/** As accepted by Kubernetes' clients (client-go/tools/clientcmd). */
const isProxy = (url: unknown): boolean =>
  url === "" || (typeof url === "string" && /^(https?|socks5):\/\/./.test(url) && URL.canParse(url));

function checkUser(config: Kubeconfig, name: string, now: Date): string[] {
  const user = section(config.users, name, "user");
  if (!user) return [noSuch("user", name, config.users)];
  return [
    ...checkEmbedded(user, ["client-certificate", "client-key"]),
    ...checkTokenFile(user),
    ...checkCertificate(user["client-certificate-data"], "client certificate", now),
    ...checkLogin(user).map((message) => `user "${name}" of this kubeconfig ${message}`),
    ...checkPair(user["client-certificate-data"], user["client-key-data"]),
  ];
}

/** Finds a user that cannot log in. Files elsewhere are assumed to exist. */
function checkLogin(user: Readonly<Record<string, unknown>>): string[] {
  const has = (...keys: readonly string[]) => keys.some((key) => (user[key] ?? "") !== "");
  const number = ["token", "username", "password"].find((key) => has(key) && typeof user[key] !== "string");
  if (number !== undefined) return [`has a ${number} that is no text, want it in quotes`];
  const certificate = has("client-certificate-data", "client-certificate");
  const key = has("client-key-data", "client-key");
  if (certificate && !key) return ["has a client certificate without its key (client-key-data)"];
  if (key && !certificate) return ["has a client key without its certificate (client-certificate-data)"];
  if (certificate || has("token", "tokenFile", "username", "exec", "auth-provider")) return [];
  return ["has nothing to log in with, want a token, a client certificate with its key, or a program (exec)"];
}

/** An invalid certificate is reported separately. */
function checkPair(certificate: unknown, key: unknown): string[] {
  const read = certificateIn(decoded(certificate));
  if (read === undefined || (key ?? "") === "") return [];
  try {
    return read.checkPrivateKey(createPrivateKey(decoded(key)))
      ? []
      : ["the client key in this kubeconfig does not belong to its client certificate"];
  } catch {
    return ["the client key in this kubeconfig is not a private key that opens without a passphrase"];
  }
}

/** Files it points to would have to exist wherever the control plane runs. */
function checkEmbedded(part: Readonly<Record<string, unknown>>, keys: readonly string[]): string[] {
  return keys
    .filter((key) => part[key] !== undefined && (part[`${key}-data`] ?? "") === "")
    .map(
      (key) => `this kubeconfig points to another file (${key}), want it embedded: kubectl config view --flatten --raw`,
    );
}

/** kubectl does not embed it. */
function checkTokenFile({ tokenFile }: Readonly<Record<string, unknown>>): string[] {
  if (tokenFile === undefined) return [];
  return ["this kubeconfig points to another file (tokenFile), want the token itself (token), or a program (exec)"];
}

/** @param read finds the one that has to be valid */
function checkCertificate(
  base64: unknown,
  what: string,
  now: Date,
  read: typeof authorityIn = certificateIn,
): string[] {
  if (base64 === undefined) return [];
  const certificate = read(decoded(base64), now);
  if (certificate === undefined) return [`the ${what} in this kubeconfig is not a certificate`];
  const problem = timeProblem(certificate, `the ${what} in this kubeconfig`, now);
  if (problem === undefined) return [];
  return [certificate.validToDate < now ? `${problem}, want a new kubeconfig of this cluster` : problem];
}

const decoded = (base64: unknown): string => Buffer.from(String(base64), "base64").toString();

function section(
  list: readonly Named[] | undefined,
  name: string,
  part: string,
): Readonly<Record<string, unknown>> | undefined {
  const found = Array.isArray(list) ? list.find((entry) => entry?.name === name) : undefined;
  return found && ((found[part] as Record<string, unknown> | undefined) ?? {});
}

function noSuch(kind: string, name: string, list: readonly Named[] | undefined): string {
  const names = (Array.isArray(list) ? list : []).flatMap((entry) =>
    entry?.name === undefined ? [] : [String(entry.name)],
  );
  const meant = closest(name, names);
  const hint = meant ? `did you mean "${meant}"?` : `it has ${names.map((n) => `"${n}"`).join(", ") || "none"}`;
  return `this kubeconfig has no ${kind} "${name}", ${hint}`;
}
