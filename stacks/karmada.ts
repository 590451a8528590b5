import type * as pulumi from "@pulumi/pulumi";
import { Karmada } from "../components/karmada.ts";
import type { Deployment } from "../spec/deployment.ts";
import { offeredByThis } from "./offered-templates.ts";
import { placementOf } from "./placement-of.ts";

/** A Karmada as the stack file describes it. What it returns is the inventory: `pulumi stack output --json`. */
export async function karmadaStack(deployment: Deployment<pulumi.Output<string>>) {
  const { authorityKeys } = deployment.pki;
  const karmada = new Karmada(deployment.name, {
    deployment,
    placement: await placementOf(deployment),
  });
  return {
    endpoint: karmada.endpoints[0],
    endpoints: karmada.endpoints,
    kubeconfig: karmada.kubeconfig,
    ...(karmada.clientKubeconfigs && { clientKubeconfigs: karmada.clientKubeconfigs }),
    versions: karmada.versions,
    programs: karmada.programs,
    certificates: karmada.certificates,
    ...(Object.keys(authorityKeys).length > 0 && { authorityKeys }),
    etcd: karmada.etcd,
    ...(karmada.afterRestore && { afterRestore: karmada.afterRestore }),
    etcdAccess: karmada.etcdAccess,
    ...(karmada.encryptionKeys && { encryptionKeys: karmada.encryptionKeys }),
    members: karmada.members,
    joining: karmada.joining,
    ...(karmada.simulatedKubeconfigs && { simulatedKubeconfigs: karmada.simulatedKubeconfigs }),
    ...(karmada.backups !== undefined && { backups: karmada.backups }),
    ...(karmada.monitoring && { monitoring: karmada.monitoring }),
    ...(deployment.policyTemplates.length > 0 && { policyTemplates: offeredByThis(deployment.policyTemplates) }),
  };
}
