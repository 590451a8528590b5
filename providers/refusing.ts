import { implement, type Before, type Implementation, type Problem } from "./implementation.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";

/** Of a resource that is nothing but a look at the Karmada API. */
interface Looking {
  readonly karmadaKubeconfig: string;
}

/** What the world says against inputs, with what was declared the last time in sight. */
export type Refusals<Inputs extends object> = (inputs: Partial<Inputs>, before: Before<Inputs>) => Promise<Problem[]>;

/** The provider of a resource that makes nothing: previews fail by what it refuses, and so do ups. */
export const refusing = <Inputs extends Looking>(
  id: string,
  inputs: Implementation<Inputs, Readonly<Record<never, never>>>["inputs"],
  refusals: Refusals<Inputs>,
) =>
  implement<Inputs, Readonly<Record<never, never>>>({
    inputs,
    id: () => id,
    check: (declared) => checkKubeconfigs(declared as Looking, ["karmadaKubeconfig"]),
    derive: async (declared, before) => ({ inputs: {}, problems: await refusals(declared, before) }),
    create: () => Promise.resolve({}),
    update: () => Promise.resolve({}),
    delete: () => Promise.resolve(),
  });
