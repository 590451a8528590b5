import type { TargetSettings } from "./target-settings.ts";

/** Where a deployment's snapshots are in a target, without opening it: the `uri` of the opened target. */
export function targetUri(settings: TargetSettings, deployment: string): string {
  if (settings.kind !== "s3") return `file://${settings.directory.replace(/\/+$/, "")}/${deployment}`;
  return `s3://${settings.bucket}/${s3Prefix(settings, deployment)}`;
}

/**
 * Tells a target from every other one, also from one with a bucket of the same name at another server: the
 * {@link targetUri}, and where an endpoint is declared that.
 */
export function targetName(settings: TargetSettings, deployment: string): string {
  const uri = targetUri(settings, deployment);
  return settings.kind === "s3" && settings.endpoint !== undefined ? `${uri}?endpoint=${settings.endpoint}` : uri;
}

/** What the keys of a deployment's objects begin with, without the slash behind it. */
export function s3Prefix({ prefix }: { readonly prefix?: string | undefined }, deployment: string): string {
  return prefix === undefined ? deployment : `${prefix}/${deployment}`;
}
