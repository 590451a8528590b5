import { z } from "zod";

/** What a stack can be. Anything other than a whole deployment has its own stack, with its own lifecycle and rights. */
export const program = z
  .enum(["karmada", "members", "etcd", "snapshots", "restore", "adopted"])
  .default("karmada")
  .describe(
    "What this stack is: `karmada`, a whole deployment; `members`, clusters that join the one of another stack; `etcd`, an etcd by itself, for Karmadas of other stacks; `snapshots`, snapshots of one, taken when asked for; `restore`, a snapshot that one is given back; `adopted`, one that something else has built, where it is.",
  );

export type Program = z.output<typeof program>;
