import type { Right } from "../../lib/etcd/rights.ts";

/** For keeping a Karmada's data below a prefix. */
export const rightOn = (prefix: string): Right => ({
  needed: `needs to read and write every key below ${prefix}/`,
  grant: (user) =>
    `etcdctl role add karmada; etcdctl role grant-permission karmada --prefix=true readwrite ${prefix}/; ` +
    `etcdctl user grant-role ${user} karmada`,
});

/** For seeing the status of each member and taking snapshots. */
export const rightToMaintain: Right = {
  needed: "needs the role root to see the state of a member and to take snapshots",
  grant: (user) => `etcdctl user grant-role ${user} root; or leave etcd.maintenance out`,
};
