import { implement, type Before, type Implementation, type Problem } from "./implementation.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";

/** Inputs of a resource that only looks at the Karmada API. */
interface Looking {
  readonly karmadaKubeconfig: string;
}

/** Finds what speaks against inputs in the world, given the last declaration. */
export type Refusals<Inputs extends object> = (inputs: Partial<Inputs>, before: Before<Inputs>) => Promise<Problem[]>;

/**
 * The provider of a resource that makes nothing: what it refuses fails previews and `up`s.
 *
 * @param noted undeclared inputs that the state is to have for the next run, given the last ones @default none
 */
export const refusing = <Inputs extends Looking>(
  id: string,
  inputs: Implementation<Inputs, Readonly<Record<never, never>>>["inputs"],
  refusals: Refusals<Inputs>,
  noted: (inputs: Partial<Inputs>, before: Before<Inputs>) => Promise<Partial<Inputs>> = () => Promise.resolve({}),
) =>
  implement<Inputs, Readonly<Record<never, never>>>({
    inputs,
    id: () => id,
    check: (declared) => checkKubeconfigs(declared as Looking, ["karmadaKubeconfig"]),
    derive: async (declared, before) => {
      const more = await noted(declared, before);
      return { inputs: more, problems: await refusals({ ...declared, ...more }, before) };
    },
    create: () => Promise.resolve({}),
    update: () => Promise.resolve({}),
    delete: () => Promise.resolve(),
  });
