import * as pulumi from "@pulumi/pulumi";
import { WaysInUse } from "../providers/ways-in-use.ts";
import type { Member } from "./member.ts";
import type { Placement } from "./placement.ts";

/**
 * Restarts programs that hold the connection settings of a member when these change.
 *
 * @param members by their names
 * @param programs names of processes
 */
export function followWays(
  name: string,
  members: readonly (readonly [string, Member])[],
  placement: Placement,
  programs: readonly string[],
  parent: pulumi.Resource,
): void {
  if (members.length === 0) return;
  const ways = pulumi.all(members.map(([member, { way }]) => way.apply((text) => [member, text] as const)));
  new WaysInUse(
    name,
    {
      ways: ways.apply((all) => Object.fromEntries(all.flatMap(([member, way]) => (way ? [[member, way]] : [])))),
      holders: pulumi.output(placement.etcdRuntime()).apply((runtime) => ({ runtime, programs })),
    },
    { parent },
  );
}
