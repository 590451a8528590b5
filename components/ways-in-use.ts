import * as pulumi from "@pulumi/pulumi";
import { asBefore, WaysInUse } from "../providers/ways-in-use.ts";
import type { Deployment } from "../spec/deployment.ts";
import type { Member } from "./member.ts";
import { onlyKnown } from "./only-known.ts";
import type { Placement } from "./placement.ts";

interface FollowWaysArgs {
  /** Members of the deployment, each after its name. */
  readonly members: readonly (readonly [string, Member])[];
  /** Members of the stacks that it serves, as those were when they were last brought up. */
  readonly teamMembers: Deployment<pulumi.Output<string>>["teamMembers"];
  readonly placement: Placement;
  /** Names of the processes to restart. */
  readonly programs: readonly string[];
}

/** Restarts programs that hold the connection settings of a member when these change. */
export function followWays(
  name: string,
  { members, teamMembers, placement, programs }: FollowWaysArgs,
  opts: pulumi.CustomResourceOptions,
): WaysInUse | undefined {
  const ways = [
    ...members.map(([member, { way }]) => [member, way] as const),
    ...teamMembers.flatMap(({ name: member, way }) => (way === undefined ? [] : [[member, way] as const])),
  ];
  if (ways.length === 0) return undefined;
  const known = pulumi.all(ways.map(([member, way]) => wayOf(way).apply((text) => [member, text] as const)));
  return new WaysInUse(
    name,
    {
      ways: known.apply((all) => onlyKnown(Object.fromEntries(all))),
      holders: pulumi.output(placement.etcdRuntime()).apply((runtime) => ({ runtime, programs })),
    },
    opts,
  );
}

/** The connection settings of a member; of one that fails they stay the former ones, and the others are followed. */
const wayOf = (way: pulumi.Input<string | undefined>): pulumi.Output<string | undefined> =>
  pulumi.recover(pulumi.output(way), () => asBefore);
