import { z } from "zod";

/** What a stack can be. What is not a whole deployment has a stack of its own, so that it has a life and rights of its own. */
export const program = z
  .enum(["karmada", "members", "snapshots", "restore", "adopted"])
  .default("karmada")
  .describe(
    "What this stack is: `karmada`, a whole deployment; `members`, clusters that join the one of another stack; `snapshots`, snapshots of one, taken when asked for; `restore`, a snapshot that one is given back; `adopted`, one that something else has built, where it is.",
  );

export type Program = z.output<typeof program>;
