import { commandFields } from "../command-fields.ts";
import { commandType } from "../command-type.ts";
import { checkFields } from "../fields.ts";
import { connectionField, secureConnection } from "./connection.ts";

/** A command on another host. */
export const remoteCommand = commandType({
  async check({ news }) {
    const failures = checkFields(news, { ...commandFields, connection: connectionField }, "remote.CommandInputs");
    return { inputs: secureConnection(news, failures.length === 0), failures };
  },
  async run(run) {
    const { runRemotely } = await import("./run.ts");
    return runRemotely(run);
  },
  outputs: ["stdout", "stderr"],
});
