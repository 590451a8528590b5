import { commandFields } from "../command-fields.ts";
import { commandType } from "../command-type.ts";
import { checkFields } from "../fields.ts";
import { localFields } from "./fields.ts";
import { runLocally } from "./run.ts";

/** A command on this machine. */
export const localCommand = commandType({
  async check({ news }) {
    const failures = checkFields(news, { ...commandFields, ...localFields }, "local.CommandInputs");
    return { inputs: news, failures };
  },
  run: runLocally,
  outputs: ["stdout", "stderr", "assets", "archive"],
});
