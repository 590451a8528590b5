import { JoinedMembers } from "../components/joined-members.ts";
import type { JoinedPlane } from "./joined-plane.ts";
import type { ConfiguredMembers } from "./sealed/configured.ts";

/**
 * Members of a deployment that another stack declares, with policies for them. The other stack's next `up` finds nothing to do:
 * it knows only members of its own.
 */
export function membersStack({ config, plane }: { readonly config: ConfiguredMembers; readonly plane: JoinedPlane }) {
  const { kubeconfig, stack } = plane;
  const joined = new JoinedMembers(config.name, { config, kubeconfig });
  return {
    deployment: stack,
    karmada: config.plane.karmada,
    endpoint: config.plane.server,
    kubeconfig,
    versions: joined.versions,
    certificates: joined.certificates,
    members: joined.members,
    // For the stack of the deployment, if it serves this one.
    ...(config.served && {
      estimators: joined.estimators,
      replacedTokens: joined.replacedTokens,
      writtenTokens: joined.writtenTokens,
      ways: joined.ways,
    }),
  };
}
