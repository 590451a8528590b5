import type { z } from "zod";
import { text } from "../field.ts";
import { homes, isBelow, temporary } from "../placement/hidden-on-hosts.ts";
import type { TypedPlacement } from "../placement/placement.ts";
import type { Problem } from "../problems.ts";
import { type Duration, wait } from "../values/units.ts";
import type { encryption } from "./encryption.ts";

/**
 * A plugin of Kubernetes' KMS v2, a program beside each API server that asks a key service
 * (https://kubernetes.io/docs/tasks/administer-cluster/kms-provider/).
 */
export interface KmsPlugin {
  /** By it what is encrypted names the plugin that can read it. */
  readonly name: string;
  /** `unix:///run/kms/vault.sock`. */
  readonly endpoint: string;
  /** How long an API server waits for an answer. */
  readonly timeout: Duration;
}

const wanted = {
  name: 'a name in lower-case letters, digits and "-", such as "vault"',
  endpoint: 'the absolute path of a socket such as "unix:///run/kms/vault.sock"',
} as const;

/** What is declared of a plugin. That these belong to `kms` is checked with the rest. */
export const kmsFields = {
  name: text(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, wanted.name)
    .optional()
    .describe(
      "With `kms`: what the plugin is called. What is encrypted has this name, so another name is another plugin, to which everything is moved.",
    ),
  endpoint: text(/^unix:\/\/(\/(?!\.{1,2}(\/|$))[\w.+-]+)+$/, wanted.endpoint)
    .optional()
    .describe("With `kms`: the Unix socket at which the plugin listens on the machine of each API server."),
  timeout: wait.optional().describe('With `kms`: how long an API server waits for an answer of it. Default: `"3s"`.'),
};

type Typed = z.output<typeof encryption>;

type PlacementKind = TypedPlacement["kind"];

/** The plugin that is to encrypt; undefined if none is. */
export function kmsOf({
  provider,
  name,
  endpoint,
  timeout = "3s",
}: Pick<Typed, "provider" | keyof typeof kmsFields>): KmsPlugin | undefined {
  if (provider !== "kms" || name === undefined || endpoint === undefined) return undefined;
  return { name, endpoint, timeout };
}

/** The path of a plugin's socket. */
export const socketOf = ({ endpoint }: Pick<KmsPlugin, "endpoint">): string => endpoint.slice("unix://".length);

/** Finds what is missing of a plugin or declared of none, and sockets that API servers cannot reach. */
export function checkKms(typed: Typed, placement: PlacementKind | undefined): Problem[] {
  const { provider, endpoint } = typed;
  if (provider !== "kms") {
    const others = (["name", "endpoint", "timeout"] as const).filter((field) => typed[field] !== undefined);
    return others.map((field) =>
      problem(field, `got "${typed[field]}" with provider "${provider}", want this left out: it is of provider "kms"`),
    );
  }
  if (placement === "kubernetes") {
    const why = "pods of an API server see no socket of their node, since their namespace allows no host paths";
    return [problem("provider", `got "kms", want "secretbox" with placement.kind "kubernetes": ${why}`)];
  }
  const missing = (["name", "endpoint"] as const).filter((field) => typed[field] === undefined);
  return [
    ...missing.map((field) => problem(field, `missing, want ${wanted[field]}, with provider "kms"`)),
    ...(endpoint === undefined ? [] : checkSocket(endpoint, placement)),
  ];
}

/** What fits into the address of a Unix socket (unix(7)). */
const longestPath = 107;

function checkSocket(endpoint: string, placement: PlacementKind | undefined): Problem[] {
  const path = socketOf({ endpoint });
  if (path.length > longestPath) {
    const message = `got a path of ${path.length} characters, want at most ${longestPath}: a socket's address has no room for more`;
    return [problem("endpoint", message)];
  }
  const hidden = [...homes, ...temporary];
  if (placement !== "hosts" || !isBelow(path, hidden)) return [];
  const want = `want one that is not below ${hidden.join(", ")} with placement.kind "hosts"`;
  return [problem("endpoint", `got "${endpoint}", ${want}: kube-apiserver sees nothing of it there`)];
}

const problem = (field: string, message: string): Problem => ({ path: ["controlPlane", "encryption", field], message });
