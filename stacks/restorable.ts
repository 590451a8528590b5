import * as pulumi from "@pulumi/pulumi";
import type { EtcdAccess } from "../components/etcd-access.ts";
import type { RestoreSettings } from "../components/restore-settings.ts";

type Managed = NonNullable<EtcdAccess["managed"]>;

/**
 * The etcd of a deployment, if all of it can be restored as the settings say: nothing is begun that would stop halfway.
 *
 * @param stack the deployment's, for errors
 * @throws pulumi.RunError otherwise
 */
export function restorable(
  { managed }: Pick<EtcdAccess, "managed">,
  { source, overrides }: Pick<RestoreSettings, "source" | "overrides">,
  stack: string,
): Managed {
  if (managed === undefined) {
    throw new pulumi.RunError(`deployment: the etcd of ${stack} is external\nrestore it with its own means`);
  }
  const names = managed.members.map(({ name }) => name);
  if (source.kind === "member" && !names.includes(source.member)) {
    throw new pulumi.RunError(`restore.source.member: got "${source.member}", want one of ${names.join(", ")}`);
  }
  if (source.kind === "snapshot") checkParts(Object.keys(managed.parts), Object.keys(overrides), stack);
  return managed;
}

/** A cluster restored without its parts would not match them. */
function checkParts(there: readonly string[], named: readonly string[], stack: string): void {
  const unknown = named.find((part) => !there.includes(part));
  if (unknown !== undefined) {
    throw new pulumi.RunError(
      `restore.overrides.${unknown}: ${stack} has no such etcd, it has ${there.join(", ") || "none"}`,
    );
  }
  const forgotten = there.filter((part) => !named.includes(part));
  if (forgotten.length === 0) return;
  throw new pulumi.RunError(
    `restore.overrides: the deployment has etcds of their own for some kinds of objects: name ${forgotten.join(", ")}, each with the ID of the cluster that may go`,
  );
}
