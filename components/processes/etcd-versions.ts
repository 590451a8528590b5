import { lt } from "semver";

/**
 * Settings that are experimental flags in 3.5, and regular flags or feature gates in 3.6, which warns of the old names.
 * https://etcd.io/docs/v3.6/upgrades/upgrade_3_6/
 */
export function versionedArgs(version: string, progressInterval: string): readonly string[] {
  return lt(version, "3.6.0")
    ? [
        `--experimental-watch-progress-notify-interval=${progressInterval}`,
        "--experimental-compact-hash-check-enabled=true",
      ]
    : [`--watch-progress-notify-interval=${progressInterval}`, "--feature-gates=CompactHashCheck=true"];
}
