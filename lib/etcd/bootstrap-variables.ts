import { basename } from "node:path";
import type { Bootstrap } from "./runtime/runtime.ts";

/** The variable that names the directory of a member's data. */
export const dataVariable = "ETCD_DATA_DIR";

/**
 * How a member finds its cluster, in environment variables: etcd reads every flag that is not given from a variable of
 * its name.
 *
 * @param data directory that holds those of all incarnations
 */
export function bootstrapVariables(bootstrap: Bootstrap, data: string) {
  return {
    ETCD_INITIAL_CLUSTER_TOKEN: bootstrap.token,
    ETCD_INITIAL_CLUSTER_STATE: bootstrap.state,
    ETCD_INITIAL_CLUSTER: bootstrap.initialCluster,
    [dataVariable]: `${data}/${bootstrap.incarnation}`,
  };
}

/** The inverse; undefined when it is incomplete. */
export function readBootstrapVariables(variables: Readonly<Record<string, string>>): Bootstrap | undefined {
  const token = variables["ETCD_INITIAL_CLUSTER_TOKEN"];
  const state = variables["ETCD_INITIAL_CLUSTER_STATE"];
  const initialCluster = variables["ETCD_INITIAL_CLUSTER"];
  const incarnation = Number(basename(variables[dataVariable] ?? ""));
  if (token === undefined || initialCluster === undefined || !(incarnation > 0)) return undefined;
  if (state !== "new" && state !== "existing") return undefined;
  return { token, state, initialCluster, incarnation };
}
