import { etcdMinor } from "../../../../spec/etcd-versions.ts";
import { failPoint } from "../../../fail-point.ts";
import { Pending, waitFor } from "../../../wait.ts";
import { deadline, look, type Tools } from "../context.ts";
import { voters, type Situation } from "../situation.ts";

/** Asks for leave to go down, unless there is one, and waits until every member stores its data the older way. */
export async function allowDowngrade(tools: Tools, situation: Situation, minor: string): Promise<void> {
  const version = `${minor}.0`;
  if (situation.facts.report.downgrade === undefined) {
    await ask(tools, situation, "VALIDATE", version);
    await ask(tools, situation, "ENABLE", version);
    failPoint("membership/downgrade-allowed");
  }
  await waitFor(`every member to store its data as etcd ${minor} does`, deadline(tools), async () => {
    const others = voters(await look(tools)).filter(
      ({ version: runs, storageVersion }) => etcdMinor(runs) !== minor && etcdMinor(storageVersion || "0.0") !== minor,
    );
    const list = others.map(({ name, storageVersion }) => `${name} stores ${storageVersion || "nothing yet"}`);
    return others.length > 0 ? new Pending(list.join(", ")) : undefined;
  });
}

export async function cancelDowngrade(tools: Tools, situation: Situation): Promise<void> {
  await ask(tools, situation, "CANCEL", "");
  failPoint("membership/downgrade-cancelled");
  await waitFor("etcd to call off the downgrade", deadline(tools), async () =>
    (await look(tools)).facts.report.downgrade === undefined ? undefined : new Pending("it has not yet"),
  );
}

async function ask({ client }: Tools, situation: Situation, action: string, version: string): Promise<void> {
  const leader = voters(situation).find((entry) => entry.leader)?.endpoint;
  if (leader === undefined) throw new Error("nobody leads");
  await client.call(leader, "maintenance/downgrade", { action, version }, 8000);
}
