import { z } from "zod";

/** What a stack can be. Backup and restore are stacks of their own, so that they have a life and rights of their own. */
export const program = z
  .enum(["karmada", "snapshots", "restore"])
  .default("karmada")
  .describe(
    "What this stack is: `karmada`, a whole deployment; `snapshots`, snapshots of one, taken when asked for; `restore`, a snapshot that one is given back.",
  );

export type Program = z.output<typeof program>;
