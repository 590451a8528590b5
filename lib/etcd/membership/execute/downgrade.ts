import { etcdMinor } from "../../../../spec/etcd/versions.ts";
import { failPoint } from "../../../fail-point.ts";
import { Pending, waitFor } from "../../../wait.ts";
import { EtcdError } from "../../client.ts";
import { deadline, look, lookAtCluster, type MembershipContext } from "../context.ts";
import { risingTo, voters, type Situation } from "../situation.ts";

/** Enables the downgrade, unless it is enabled already, and waits until every member stores its data in the older format. */
export async function allowDowngrade(context: MembershipContext, situation: Situation, minor: string): Promise<void> {
  if (situation.facts.report.downgrade === undefined) {
    await untilAgreed(context);
    const version = `${minor}.0`;
    await until(context, `etcd to allow the downgrade to ${minor}`, "allowed", [
      { action: "VALIDATE", version },
      { action: "ENABLE", version },
    ]);
    failPoint("membership/downgrade-allowed");
  }
  await waitFor(`every member to store its data as etcd ${minor} does`, deadline(context), async () => {
    const others = voters(await lookAtCluster(context)).filter(
      ({ version: runs, storageVersion }) => etcdMinor(runs) !== minor && etcdMinor(storageVersion || "0.0") !== minor,
    );
    const list = others.map(({ name, storageVersion }) => `${name} stores ${storageVersion || "nothing yet"}`);
    return others.length > 0 ? new Pending(list.join(", ")) : undefined;
  });
}

export async function cancelDowngrade(context: MembershipContext): Promise<void> {
  await until(context, "etcd to call off the downgrade", "none", [{ action: "CANCEL", version: "" }]);
  failPoint("membership/downgrade-cancelled");
}

/** By the version that its members have agreed on etcd judges what is one down. */
const untilAgreed = (context: MembershipContext): Promise<void> =>
  waitFor("the members of etcd to agree on their version", deadline(context), async () => {
    const next = risingTo(await look(context));
    return next === undefined ? undefined : new Pending(`they are about to agree on ${next}`);
  });

/** Looks, asks the leader for what is not so yet, and looks again: a missing answer says nothing about the outcome. */
async function until(
  context: MembershipContext,
  what: string,
  wanted: "allowed" | "none",
  requests: readonly { readonly action: string; readonly version: string }[],
): Promise<void> {
  const attempt = async () => {
    const situation = await lookAtCluster(context);
    if ((situation.facts.report.downgrade === undefined) === (wanted === "none")) return undefined;
    const leader = voters(situation).find((entry) => entry.leader)?.endpoint;
    if (leader === undefined) return new Pending("nobody leads");
    for (const request of requests) await context.client.call(leader, "maintenance/downgrade", request, 8000);
    return new Pending("it was accepted, and is not so yet");
  };
  await waitFor(what, deadline(context), attempt, { fatal: isRefusal });
}

/** gRPC's InvalidArgument: a version that etcd cannot downgrade to. Any other error may be gone a moment later. */
const isRefusal = (error: unknown): boolean => error instanceof EtcdError && error.code === 3;
