/** Pulumi as this project runs it: the official one where it can be had, else built and with stand-in plugins. */
export { findPulumi, pulumiEnvironment, type PulumiCommand } from "./environment.ts";
export { runPulumi, type RunOptions } from "./run.ts";
