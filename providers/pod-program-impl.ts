import { connect } from "../lib/kube/client.ts";
import { namespacedPath } from "../lib/kube/paths.ts";
import { programDigest, programObject } from "../lib/kube/program-object.ts";
import { implement } from "./implementation.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";
import type { PodProgramInputs } from "./pod-program.ts";

export const provider = implement<PodProgramInputs, object>({
  inputs: { kubeconfig: "update", namespace: "replace", name: "replace", main: "update", sha256: "update" },
  id: ({ namespace, name }) => `${namespace}/${name}`,
  check: (inputs) => checkKubeconfigs(inputs, ["kubeconfig"]),
  create: ensure,
  async read(state) {
    const found = await (await connect(state.kubeconfig)).find(pathOf(state));
    if (found === undefined) return undefined;
    if (programDigest(found) === state.sha256) return { state: {} };
    return { state: {}, drift: [`${state.namespace}/${state.name}: holds another program`] };
  },
  update: ensure,
  async delete(state) {
    await (await connect(state.kubeconfig)).delete(pathOf(state));
  },
});

async function ensure(inputs: PodProgramInputs): Promise<object> {
  const client = await connect(inputs.kubeconfig);
  await client.apply(pathOf(inputs), programObject(inputs.name, inputs.main));
  return {};
}

const pathOf = ({ namespace, name }: PodProgramInputs): string => namespacedPath(namespace, "configmaps", name);
