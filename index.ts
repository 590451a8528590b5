import {
  fetchNamed,
  readAdopted,
  readDeployment,
  readEtcd,
  readMembers,
  readProgram,
  readRestore,
  readSnapshots,
} from "./stacks/config.ts";

// Pulumi takes a stack trace of every promise and resource and maps each through source-map-support, a third of the
// program's time. Node strips types without moving anything, so its own traces are right as they are.
(Error as { prepareStackTrace?: unknown }).prepareStackTrace = undefined;

/** What a stack can be: the values of `karmada:program`. Each reads its configuration and gives its outputs. */
const programs = {
  karmada: async () => (await import("./stacks/karmada.ts")).karmadaStack(readDeployment(await fetchNamed())),
  members: async () => (await import("./stacks/members.ts")).membersStack(await readMembers()),
  etcd: async () => (await import("./stacks/etcd.ts")).etcdStack(await readEtcd()),
  snapshots: async () => (await import("./stacks/snapshots.ts")).snapshotsStack(readSnapshots()),
  restore: async () => (await import("./stacks/restore.ts")).restoreStack(readRestore()),
  adopted: async () => (await import("./stacks/adopted.ts")).adoptedStack(await readAdopted()),
};

export default function main() {
  return programs[readProgram()]();
}
