import type { Deployment } from "../../spec/deployment.ts";
import { firstGroup, overridesIn } from "../../spec/etcd/overrides.ts";

/** All etcds of a deployment, by the labels of their members. */
export function etcdsOf({ etcd }: Pick<Deployment<unknown>, "etcd">) {
  if (etcd.kind !== "managed") return [];
  const overrides = overridesIn(etcd);
  const first = { name: "etcd", ...(overrides.length > 0 && { group: firstGroup }), members: etcd.members.length };
  const others = overrides.map(({ name, members }) => ({ name: `etcd-${name}`, group: name, members }));
  return [first, ...others].map((each) => ({ component: "etcd", ...each }));
}
