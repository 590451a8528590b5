import { rm } from "node:fs/promises";
import { join } from "node:path";
import { deadlineIn, Pending, waitFor } from "../../../lib/wait.ts";
import type { TestStack } from "./stack.ts";

/** The host is gone: every program is, and the disks with the data of these members of etcd. */
export async function loseEverything(stack: TestStack, members: readonly string[]): Promise<void> {
  await kill(stack);
  await loseData(stack, members);
}

/** These members of etcd are gone with their disks. The supervisor is killed with them: it would start them at once. */
export async function loseMembers(stack: TestStack, members: readonly string[]): Promise<void> {
  await kill(stack, (command) => isSupervisor(command) || members.some((name) => command.includes(`--name=${name}`)));
  await loseData(stack, members);
}

/** Kills what a stack runs, and returns when it has ended. @param which of it, by its command line */
export async function kill(stack: TestStack, which: (command: string) => boolean = () => true): Promise<void> {
  const found = (await stack.processes()).filter(({ command }) => which(command));
  const supervisors = found.filter(({ command }) => isSupervisor(command));
  for (const { pid } of [...supervisors, ...found.filter((each) => !supervisors.includes(each))]) {
    process.kill(pid, "SIGKILL");
  }
  await waitFor("them to end", deadlineIn(10), async () => {
    const left = (await stack.processes()).filter(({ pid }) => found.some((each) => each.pid === pid));
    return left.length === 0 ? true : new Pending(`${left.length} run`);
  });
}

async function loseData({ directory }: TestStack, members: readonly string[]): Promise<void> {
  for (const member of members) await rm(join(directory, member, "data"), { recursive: true });
}

const isSupervisor = (command: string): boolean => command.includes("supervisor/main");
