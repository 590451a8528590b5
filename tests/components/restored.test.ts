import * as pulumi from "@pulumi/pulumi";
import { deploymentOf } from "./support/deployment.ts";
import { fakePlacement } from "./support/fake-placement.ts";
import { ofEtcd, ofPki, settled, valueOf, withMocks } from "./support/mocks.ts";
import type { Process } from "../../components/process.ts";

const dynamic = "pulumi-nodejs:dynamic";
const registered = await withMocks({
  ...ofPki,
  ...ofEtcd,
  [`${dynamic}/etcd:EtcdRestore`]: () => ({ clusterId: "restored" }),
  [`${dynamic}/members:MemberAccess`]: () => ({ kubeconfig: "of the member" }),
});
const { Karmada } = await import("../../components/karmada.ts");

class Placed extends pulumi.CustomResource {
  constructor({ name }: Process, opts: pulumi.CustomResourceOptions) {
    super("test:index:Placed", name, {}, opts);
  }
}

const version = pulumi.output("1");
const follows = new Map<string, pulumi.Output<string> | undefined>();
new Karmada("prod", {
  deployment: deploymentOf({
    members: [{ name: "m1", syncMode: "Pull", credentials: { kind: "simulated" } }],
    snapshots: {
      targets: [{ kind: "local", directory: "/backup" }],
      schedule: { cron: "15 * * * *" },
      encryption: { kind: "key-file", path: "/etc/karmada/snapshot.key" },
    },
    etcd: { kind: "managed", restore: { generation: 1, replaceClusterId: "none" } },
  }) as never,
  placement: fakePlacement(
    (process, _files, opts, followed) => {
      follows.set(process.name, followed);
      return { resource: new Placed(process, opts), version };
    },
    (process, _files, opts) => ({ resource: new Placed(process, opts), version, revision: version }),
  ),
});
await settled();

test("whatever remembers what etcd held follows a restore, and nothing else does", async () => {
  const following = [...follows].filter(([, followed]) => followed !== undefined);
  expect(following.map(([name]) => name).sort()).toEqual([
    "karmada-aggregated-apiserver",
    "karmada-apiserver",
    "karmada-controller-manager",
    "karmada-scheduler",
    "karmada-webhook",
    "kube-controller-manager",
    "m1-karmada-agent",
  ]);
  for (const [, followed] of following) expect(await valueOf(followed!)).toBe("restored");
});

test("a source that names neither target nor key is read as snapshots are taken", () => {
  const [restore] = registered.filter(({ type }) => type.endsWith(":EtcdRestore"));
  expect(restore?.inputs["source"]).toMatchObject({
    target: { kind: "local", directory: "/backup" },
    encryption: { kind: "key-file", path: "/etc/karmada/snapshot.key" },
  });
});
