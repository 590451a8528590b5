import { unknownValue } from "../../toolchain/pulumi/unknown-value.ts";
import { startCommand } from "./start-command.ts";

/**
 * The outputs of a stack. pulumi leaves some without a value if a partial `up` (`--target`, `--exclude`) left out their
 * source.
 *
 * @throws naming those without a value
 */
export function knownOutputs<T extends object>(stack: string, outputs: T): T {
  const unknown = Object.entries(outputs).filter(([, value]) => JSON.stringify(value).includes(unknownValue));
  if (unknown.length === 0) return outputs;
  const names = unknown.map(([name]) => name).join(", ");
  throw new Error(
    `stack ${stack}: outputs without a value since an up of a part of it (--target, --exclude): ${names}; ${startCommand(stack)} goes on with the rest`,
  );
}
