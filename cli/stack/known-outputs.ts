import { startCommand } from "./start-command.ts";

/**
 * The outputs of a stack, which pulumi leaves without a value where an `up` of a part (`--target`, `--exclude`) left out what
 * they come of.
 *
 * @throws when there are such, with their names
 */
export function knownOutputs<T extends object>(stack: string, outputs: T): T {
  const unknown = Object.entries(outputs).filter(([, value]) => JSON.stringify(value).includes(unknownValue));
  if (unknown.length === 0) return outputs;
  const names = unknown.map(([name]) => name).join(", ");
  throw new Error(
    `stack ${stack}: outputs without a value since an up of a part of it (--target, --exclude): ${names}; ${startCommand(stack)} goes on with the rest`,
  );
}

/** How pulumi keeps what it does not know (`@pulumi/pulumi/runtime/rpc`, unknownValue). */
const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
