import { applyCrds, crdGenerations } from "../lib/kube/apply-crds.ts";
import { connect } from "../lib/kube/client.ts";
import { marked, nameOf, renderCrds } from "../lib/kube/crds.ts";
import { parseKubeconfig } from "../lib/kube/kubeconfig.ts";
import { deadlineIn, messageOf } from "../lib/wait.ts";
import { install } from "../toolchain/index.ts";
import { implement } from "./implementation.ts";
import type { KarmadaCrdsInputs, KarmadaCrdsOutputs } from "./karmada-crds.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";
import { sha256 } from "../lib/sha256.ts";

export const provider = implement<KarmadaCrdsInputs, KarmadaCrdsOutputs>({
  inputs: {
    kubeconfig: "update",
    version: "update",
    webhookUrl: "update",
    caBundle: "update",
    timeoutSeconds: "ignore",
  },
  id: ({ kubeconfig }) => parseKubeconfig(kubeconfig).server,
  check: (inputs) => checkKubeconfigs(inputs, ["kubeconfig"]),
  create: apply,
  async update(inputs, { names = [], generations }) {
    const outputs = await apply(inputs);
    // Those a refresh did not find have no generation.
    const again = outputs.names.filter((name) => names.includes(name) && generations?.[name] === undefined);
    if (generations !== undefined && again.length > 0) console.warn(withoutObjects(again));
    return outputs;
  },
  async read({ kubeconfig, generations = {} }) {
    try {
      const now = await crdGenerations(await connect(kubeconfig), Object.keys(generations));
      return { state: { generations: now }, drift: changes(generations, now) };
    } catch (error) {
      return { state: {}, drift: [`cannot be read: ${messageOf(error)}`] };
    }
  },
  delete: async () => {},
});

async function apply(inputs: KarmadaCrdsInputs): Promise<KarmadaCrdsOutputs> {
  const { kubeconfig, version, webhookUrl, caBundle, timeoutSeconds } = inputs;
  const [directory, client] = await Promise.all([crdsDirectory(version), connect(kubeconfig)]);
  const rendered = await renderCrds(directory, { url: webhookUrl, caBundle });
  const crds = rendered.map((crd) => marked(crd, version));
  const generations = await applyCrds(client, crds, deadlineIn(timeoutSeconds));
  return {
    hash: sha256(JSON.stringify(crds)),
    names: crds.map(nameOf),
    generations,
  };
}

async function crdsDirectory(version: string): Promise<string> {
  const [artifact] = await install([{ name: "karmada-crds", version }]);
  if (artifact === undefined)
    throw new Error(`Karmada ${version}: the toolchain has no custom resource definitions of it`);
  return artifact.path;
}

/**
 * The controller that gives users access to members acts on a Cluster when it first sees it (SetupWithManager in
 * pkg/controllers/unifiedauth).
 */
function withoutObjects(crds: readonly string[]): string {
  return (
    `${crds.join(", ")}: made again, but what was of this kind went with it; restart karmada-controller-manager and the agents ` +
    `of members: part of that, such as the way of users through Karmada into members, they make only when they start`
  );
}

function changes(applied: Record<string, number>, now: Record<string, number>): string[] {
  return Object.entries(applied).flatMap(([name, generation]) => {
    if (now[name] === undefined) return [`${name}: is gone`];
    return now[name] === generation ? [] : [`${name}: was changed by hand (generation ${generation} to ${now[name]})`];
  });
}
