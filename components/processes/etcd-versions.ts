import { lt } from "semver";

/**
 * Settings that 3.5 has as experimental flags and 3.6 under names of their own, or as feature gates; 3.6 warns of the
 * old names. https://etcd.io/docs/v3.6/upgrades/upgrade_3_6/
 */
export function versionedArgs(version: string, progressInterval: string): readonly string[] {
  return lt(version, "3.6.0")
    ? [
        `--experimental-watch-progress-notify-interval=${progressInterval}`,
        "--experimental-compact-hash-check-enabled=true",
      ]
    : [`--watch-progress-notify-interval=${progressInterval}`, "--feature-gates=CompactHashCheck=true"];
}
