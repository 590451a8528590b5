import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { WaysInUse } from "../providers/ways-in-use.ts";
import type { Placement } from "./placement.ts";
import type { Process } from "./process.ts";

/** An estimator, and where it is found. */
export interface FoundEstimator {
  readonly member: string;
  readonly process: Process;
  readonly service: k8s.core.v1.Service;
  /** What runs it. */
  readonly program: pulumi.Resource;
}

/**
 * Restarts programs that ask estimators when one of these is at another address: they look for each only once. All
 * estimators come first, except those that cannot be had: as one of a member that is away, which concerns no other.
 *
 * @param programs names of processes
 */
export function followEstimators(
  name: string,
  estimators: readonly FoundEstimator[],
  placement: Placement,
  programs: readonly string[],
  { parent, dependsOn }: { readonly parent: pulumi.Resource; readonly dependsOn: readonly pulumi.Resource[] },
): void {
  if (estimators.length === 0) return;
  const services = estimators.map(({ service }) => service);
  const tried = pulumi.all(estimators.map(({ program }) => pulumi.recover(program.urn, () => "")));
  const addressOf = ({ process }: FoundEstimator) =>
    `${placement.host(process.name)}:${placement.port(process.name, "grpc")}`;
  new WaysInUse(
    name,
    {
      ways: tried.apply(() => Object.fromEntries(estimators.map((each) => [each.member, addressOf(each)]))),
      holders: pulumi.output(placement.etcdRuntime()).apply((runtime) => ({ runtime, programs })),
      mayKnowOthers: pulumi
        .all(services.map(({ metadata }) => metadata.creationTimestamp))
        .apply((times) => times.some(isEarlier)),
    },
    { parent, dependsOn: [...dependsOn, ...services] },
  );
}

/** Whether a time is before this run of the program. */
const isEarlier = (time: string): boolean => Date.parse(time) < performance.timeOrigin;
