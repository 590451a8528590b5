/** Pulumi as this project runs it: the official one where it can be had, else built and with stand-in plugins. */
export { findPulumi, pulumiEnvironment } from "./environment.ts";
export type { PulumiCommand } from "./found.ts";
export { runPulumi, type RunOptions } from "./run.ts";
export { whyFailed } from "./why-failed.ts";
