import type * as pulumi from "@pulumi/pulumi";
import type { HostPreflight } from "../../providers/host-preflight.ts";

/** Of this run of the program, in milliseconds of Unix time. */
const startedAt = performance.timeOrigin;

/**
 * What a replica waits for in the place of the one before it: only the hosts, when this very run has taken them from
 * nobody. Nothing of the deployment can have served there before, so there is nothing that has to be kept serving.
 */
export function turnAfter(before: pulumi.Resource, preflight: HostPreflight): pulumi.Output<pulumi.Resource> {
  return preflight.firstTakenAt.apply((time) => (isOfThisRun(time) ? preflight : before));
}

/** A clock that was ahead by then says a time that is still to come: that is not of this run. */
const isOfThisRun = (time: number | undefined): boolean =>
  time !== undefined && time >= startedAt && time <= Date.now();
