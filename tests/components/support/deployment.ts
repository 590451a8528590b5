import type { Deployment } from "../../../spec/deployment.ts";
import { resolve } from "../../../spec/resolve.ts";

/** A deployment as the stack file of the test says, named `test`. */
export const deploymentOf = (config: Readonly<Record<string, unknown>> = {}): Deployment =>
  resolve(config, { stack: "test", directory: "/stack", stateHome: "/state" });
