import type * as pulumi from "@pulumi/pulumi";
import type { HostPreflight } from "../../providers/host-preflight.ts";

/** When this run of the program started, in milliseconds of Unix time. */
const startedAt = performance.timeOrigin;

/**
 * What a replica waits for instead of the previous one: only the hosts, if this very run claimed them while they were
 * free. Nothing of the deployment can have served there before, so nothing has to be kept serving.
 */
export function turnAfter(before: pulumi.Resource, preflight: HostPreflight): pulumi.Output<pulumi.Resource> {
  return preflight.firstTakenAt.apply((time) => (isOfThisRun(time) ? preflight : before));
}

/** A time in the future comes from a clock that was ahead, and not from this run. */
const isOfThisRun = (time: number | undefined): boolean =>
  time !== undefined && time >= startedAt && time <= Date.now();
