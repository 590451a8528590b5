import type { Deployment } from "../../spec/deployment.ts";
import { firstGroup } from "../../spec/etcd-overrides.ts";

type HasEtcd = Pick<Deployment<unknown>, "etcd">;

/** The etcds that some kinds of objects have to themselves. */
export const overridesIn = ({ etcd }: HasEtcd) => (etcd.kind === "managed" ? etcd.overrides : []);

/** All etcds of a deployment, as their members are labelled. */
export function etcdsOf(deployment: HasEtcd) {
  const { etcd } = deployment;
  if (etcd.kind !== "managed") return [];
  const overrides = overridesIn(deployment);
  const first = { name: "etcd", ...(overrides.length > 0 && { group: firstGroup }), members: etcd.members.length };
  const others = overrides.map(({ name, members }) => ({ name: `etcd-${name}`, group: name, members }));
  return [first, ...others].map((each) => ({ component: "etcd", ...each }));
}
