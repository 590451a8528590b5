import * as pulumi from "@pulumi/pulumi";
import { readMembers } from "../lib/adoption/members.ts";
import { missingObjects } from "../lib/adoption/objects.ts";
import { readAdministrator } from "../lib/adoption/plane.ts";
import { withApiServer } from "../lib/adoption/pod-access.ts";
import { connect } from "../lib/kube/client.ts";
import { oneContext } from "../lib/kube/one-context.ts";
import { messageOf } from "../lib/wait.ts";
import type { AdoptedProgram } from "../spec/adopted-program.ts";

/** The present state of a Karmada that is taken over. */
export interface PlaneNow {
  /** Its member clusters; undefined while it does not answer. */
  readonly members: readonly { readonly name: string; readonly syncMode: string }[] | undefined;
}

/**
 * Looks at a Karmada before there is any resource.
 *
 * @throws pulumi.RunError when the host cluster cannot be asked, or lacks an object that is to be taken over
 */
export async function adoptedPlane({ credentials, namespace, objects }: AdoptedProgram): Promise<PlaneNow> {
  const kubeconfig = oneContext(credentials.kubeconfig, credentials.context);
  const client = await connect(kubeconfig);
  try {
    const taken = objects.filter(({ isTaken }) => isTaken);
    const missing = await missingObjects(
      client,
      namespace,
      taken.map(({ object }) => object),
    ).catch((error: unknown) => {
      throw new pulumi.RunError(`adopted.credentials: the host cluster cannot be asked: ${messageOf(error)}`);
    });
    const lines = taken.flatMap(({ object, place }) => {
      const what = `${object.kind} ${object.metadata.name}`;
      return missing.includes(what) ? [`  ${place}: ${what} is not in namespace ${namespace} any more`] : [];
    });
    if (lines.length > 0)
      throw new pulumi.RunError(
        `adopted.manifests: nothing was changed\n${lines.join("\n")}\nto let go of one, delete its manifest; to have it made anew, take metadata.uid out of that, and put a Secret's data in`,
      );
    const host = { client, kubeconfig, namespace };
    const members = await readAdministrator(client, namespace)
      .then(({ apiserver, kubeconfig: own }) => withApiServer(host, apiserver, own, readMembers))
      .catch((error: unknown) => {
        void pulumi.log.warn(`members: the Karmada in ${namespace} cannot be asked: ${messageOf(error)}`);
        return undefined;
      });
    return { members: members?.map(({ name, syncMode }) => ({ name, syncMode })) };
  } finally {
    client.close();
  }
}
