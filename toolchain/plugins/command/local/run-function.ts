import { InvalidArguments, reveal } from "../../server/index.ts";
import type { ProviderFunction } from "../../server/index.ts";
import { checkFields } from "../fields.ts";
import { localFields } from "./fields.ts";
import { runLocally } from "./run.ts";

/** Runs a command whenever the program runs, previews included. */
export const localRun: ProviderFunction = async ({ args, log, signal }) => {
  const failures = checkFields(
    args,
    { command: { type: "string", required: true }, ...localFields },
    "local.RunInputs",
  );
  if (failures.length > 0) throw new InvalidArguments(failures);
  const inputs = reveal(args);
  const command = inputs["command"] as string;
  return { ...args, ...(await runLocally({ command, inputs, previous: {}, log, signal })) };
};
