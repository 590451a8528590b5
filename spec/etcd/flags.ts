import { gte } from "semver";
import type { Problem } from "../problems.ts";

/** What replaces, from 3.6 on, an experimental flag that we set: etcd starts with one of the two names only. */
const renamed: Readonly<Record<string, string>> = {
  "experimental-watch-progress-notify-interval": "want watch-progress-notify-interval",
  "experimental-compact-hash-check-enabled": 'want feature-gates: "CompactHashCheck=false", or this left out',
};

/** Finds flags that etcd does not start with beside those we set. Source: `Config.Validate` of its package `embed`. */
export function checkEtcdFlags(extraArgs: Readonly<Record<string, unknown>>, version: string): Problem[] {
  return Object.keys(extraArgs).flatMap((flag): Problem[] => {
    const message = refused(flag, extraArgs, version);
    return message === undefined ? [] : [{ path: ["etcd", "extraArgs", flag], message }];
  });
}

function refused(flag: string, extraArgs: Readonly<Record<string, unknown>>, version: string): string | undefined {
  const instead = renamed[flag];
  if (instead !== undefined && gte(version, "3.6.0")) {
    return `etcd ${version} does not start with this flag, which has another name there that is set already: ${instead}`;
  }
  if (flag === "cipher-suites" && (extraArgs["tls-min-version"] ?? "TLS1.3") === "TLS1.3") {
    return "etcd does not start with cipher suites where it takes TLS 1.3 only: want tls-min-version: TLS1.2 beside them, or this left out";
  }
  return undefined;
}
