/** The provider's own inputs. Each may also come from the environment; the input wins. */
import { reveal } from "../server/index.ts";
import type { Properties } from "../server/index.ts";

export interface Settings {
  /** Content or path. @default as client-go finds one */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly cluster: string | undefined;
  readonly namespace: string | undefined;
  /** Delete resources of a cluster that cannot be reached from the state. @default false */
  readonly deleteUnreachable: boolean;
  /** Leave resources of a cluster that cannot be reached as they are. @default false */
  readonly skipUpdateUnreachable: boolean;
  /** @default true */
  readonly enableServerSideApply: boolean;
  /** Take fields over from other managers. @default false */
  readonly enablePatchForce: boolean;
  /** Let a create update an object that is there already. @default false: an error */
  readonly upsertExistingObjects: boolean;
  readonly enableConfigMapMutable: boolean;
  readonly enableSecretMutable: boolean;
  readonly suppressDeprecationWarnings: boolean;
  readonly suppressHelmHookWarnings: boolean;
  /** Requests per second. @default 50 */
  readonly qps: number;
  /** Requests without a limit at the start. @default 120 */
  readonly burst: number;
  /** For every request. @default as long as an API server takes at most */
  readonly timeoutMs: number | undefined;
}

/** @throws Error for a number that is none, naming it */
export function parseSettings(config: Properties, env: NodeJS.ProcessEnv = process.env): Settings {
  const values = reveal(config);
  const text = (name: string): string | undefined => {
    const value = values[name];
    if (value === undefined || value === null || value === "") return undefined;
    return typeof value === "string" ? value : JSON.stringify(value);
  };
  const flag = (name: string, variable: string, otherwise = false): boolean =>
    (text(name) ?? env[variable] ?? String(otherwise)) === "true";
  const client = JSON.parse(text("kubeClientSettings") ?? "{}") as { qps?: number; burst?: number; timeout?: number };
  const number = (input: number | undefined, variable: string): number | undefined => {
    const given = input ?? (env[variable] || undefined);
    if (given === undefined) return undefined;
    if (Number.isFinite(Number(given))) return Number(given);
    throw new Error(`invalid value specified for ${variable}: got ${JSON.stringify(given)}, want a number`);
  };
  const timeout = number(client.timeout, "PULUMI_K8S_CLIENT_TIMEOUT");
  return {
    kubeconfig: text("kubeconfig"),
    context: text("context"),
    cluster: text("cluster"),
    namespace: text("namespace"),
    deleteUnreachable: flag("deleteUnreachable", "PULUMI_K8S_DELETE_UNREACHABLE"),
    skipUpdateUnreachable: flag("skipUpdateUnreachable", "PULUMI_K8S_SKIP_UPDATE_UNREACHABLE"),
    enableServerSideApply: flag("enableServerSideApply", "PULUMI_K8S_ENABLE_SERVER_SIDE_APPLY", true),
    enablePatchForce: flag("enablePatchForce", "PULUMI_K8S_ENABLE_PATCH_FORCE"),
    upsertExistingObjects: flag("upsertExistingObjects", "PULUMI_K8S_UPSERT_EXISTING_OBJECTS"),
    enableConfigMapMutable: flag("enableConfigMapMutable", "PULUMI_K8S_ENABLE_CONFIGMAP_MUTABLE"),
    enableSecretMutable: flag("enableSecretMutable", "PULUMI_K8S_ENABLE_SECRET_MUTABLE"),
    suppressDeprecationWarnings: flag("suppressDeprecationWarnings", "PULUMI_K8S_SUPPRESS_DEPRECATION_WARNINGS"),
    suppressHelmHookWarnings: flag("suppressHelmHookWarnings", "PULUMI_K8S_SUPPRESS_HELM_HOOK_WARNINGS"),
    qps: number(client.qps, "PULUMI_K8S_CLIENT_QPS") ?? 50,
    burst: number(client.burst, "PULUMI_K8S_CLIENT_BURST") ?? 120,
    timeoutMs: timeout === undefined ? undefined : timeout * 1000,
  };
}
