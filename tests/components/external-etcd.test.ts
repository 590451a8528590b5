import { createAuthority } from "../support/certificates.ts";
import { fakePlacement } from "./support/fake-placement.ts";
import { settled, valueOf, withMocks } from "./support/mocks.ts";
import * as pulumi from "@pulumi/pulumi";

const members = [{ name: "theirs-0", version: "3.6.8", healthy: true, role: "leader" }];
const registered = await withMocks({
  "tls:index/privateKey:PrivateKey": () => ({
    privateKeyPem: "KEY",
    publicKeyPem: "PUBLIC",
    publicKeyFingerprintSha256: "SHA256:abc",
  }),
  "pulumi-nodejs:dynamic/etcd:ExternalEtcd": () => ({
    clusterId: "c9",
    versions: { "https://e1:2379": "3.6.8" },
    members,
  }),
});
const { createEtcd } = await import("../../components/create-etcd.ts");
const { planEtcd } = await import("../../components/etcd-plan.ts");
const { etcdReach } = await import("../../components/etcd-reach.ts");
const { planBackups } = await import("../../components/etcd-backup-schedule.ts");
const { Pki } = await import("../../components/pki.ts");
const { controlPlaneProcesses } = await import("../../components/processes/control-plane.ts");
const { deploymentOf } = await import("./support/deployment.ts");
const { commandLine } = await import("./support/fake-placement.ts");

const authority = await createAuthority("theirs");
const { certificate: ours } = await authority.issue({ commonName: "karmada" });
const { certificate: keeper } = await authority.issue({ commonName: "keeper" });
const base = deploymentOf();
const plan = planEtcd({
  name: "prod",
  versions: base.versions,
  etcd: {
    kind: "external",
    endpoints: ["https://e1:2379", "https://e2:2379"],
    ca: "THEIR CA",
    certificate: ours,
    key: pulumi.secret("OUR KEY"),
    prefix: "/registry/karmada",
    adopt: true,
    maintenance: { certificate: keeper, key: pulumi.secret("KEEPER KEY") },
  },
});
const [apiserver] = controlPlaneProcesses(base, plan.connection)["kube-apiserver"];
if (apiserver === undefined) throw new Error("no API server was planned");
const scheduled = deploymentOf({
  snapshots: { targets: [{ kind: "local", directory: "/backup" }], schedule: { cron: "0 * * * *" } },
});
const backups = planBackups(scheduled as never, plan)!;
const placement = fakePlacement();
const pki = new Pki("prod-pki", {
  lifetimes: { authorityHours: 1, leafHours: 1, renewBeforeHours: 1 },
  processes: [apiserver, backups],
  requests: plan.requests,
  placement,
  ...(plan.imported === undefined ? {} : { imported: plan.imported }),
});
const snapshotAfter: pulumi.Resource[] = [];
let snapshot: pulumi.Resource | undefined;
const etcd = createEtcd(
  "prod-etcd",
  {
    plan,
    ground: { placement, pki },
    restoring: { snapshots: { ...base.snapshots, targets: [] }, programs: [] },
    before: {
      hooks: [],
      snapshot: (dependsOn) => {
        snapshotAfter.push(...dependsOn);
        return (snapshot = new pulumi.ComponentResource(
          "test:index:Snapshot",
          "before",
          {},
          { dependsOn: [...dependsOn] },
        ));
      },
    },
  },
  {},
);
const ofStack = planEtcd({
  ...{ name: "pods", versions: base.versions },
  etcd: {
    kind: "external",
    ...{ endpoints: ["https://etcd-0.etcd.svc:2379"], outside: ["https://node:32379"], clusterId: "c2" },
    ...{ ca: "THEIR CA", certificate: ours, key: pulumi.secret("OUR KEY") as never },
    ...{ prefix: "/registry/pods", adopt: false },
  } as never,
});
const [podsApiserver] = controlPlaneProcesses(base, ofStack.connection)["kube-apiserver"];
const restoredThere = createEtcd(
  "pods-etcd",
  {
    plan: ofStack,
    ground: { placement, pki },
    restoring: { snapshots: { ...base.snapshots, targets: [] }, programs: ["karmada-apiserver", "karmada-scheduler"] },
  },
  {},
);
const files = pki.fileContents(apiserver);
const state = valueOf(etcd.state);
await settled();

describe("an external etcd", () => {
  test("is probed under its prefix, for this Karmada and no other, before anything starts", () => {
    expect(registered.find(({ name }) => name === "prod-etcd-probe")?.inputs).toMatchObject({
      endpoints: ["https://e1:2379", "https://e2:2379"],
      ca: "THEIR CA",
      certificate: ours,
      prefix: "/registry/karmada",
      owner: "SHA256:abc",
      deployment: "prod",
      adopt: true,
      maintenanceCertificate: keeper,
    });
  });

  test("is saved before anything is stored in it, once it is known to be fit", () => {
    expect(snapshotAfter).toHaveLength(1);
    expect(snapshotAfter[0]).toBeInstanceOf(pulumi.CustomResource);
    expect(etcd.ready).toBe(snapshot);
    expect(etcd.kind).toBe("external");
  });

  test("gives its state and snapshots to the certificate for maintenance, which nothing else has", async () => {
    const own = pki.fileContents(backups);
    expect(await valueOf(pulumi.output(own["pki/etcd/client.crt"]))).toBe(keeper);
    expect(await pulumi.isSecret(pulumi.output(own["pki/etcd/client.key"]))).toBe(true);
    expect(await valueOf(etcdReach(plan, { placement, pki }).certificate)).toBe(keeper);
    expect(Object.values(apiserver.files)).not.toContainEqual(
      expect.objectContaining({ certificate: "etcd-maintenance-client" }),
    );
  });

  test("is reached by the API server with the certificate that was given, below the prefix", async () => {
    expect(commandLine(apiserver)).toEqual(
      expect.arrayContaining([
        "--etcd-servers=https://e1:2379,https://e2:2379",
        "--etcd-prefix=/registry/karmada",
        "--etcd-certfile=/files/pki/apiserver-etcd-client.crt",
      ]),
    );
    expect(await valueOf(pulumi.output(files["pki/apiserver-etcd-client.crt"]))).toBe(ours);
    expect(await valueOf(pulumi.output(files["pki/etcd/ca.crt"]))).toBe("THEIR CA");
    expect(await pulumi.isSecret(pulumi.output(files["pki/apiserver-etcd-client.key"]))).toBe(true);
  });

  test("has no members of ours, no authority of ours, and keeps what is stored when the rest is deleted", () => {
    expect(plan.members).toEqual([]);
    expect(registered.map(({ name }) => name)).not.toContain("prod-pki-ca-etcd");
    expect(etcd.owner).toBeUndefined();
  });

  test("tells of its members what it tells of its own", async () => {
    expect(await state).toEqual({ clusterId: "c9", members });
  });
});

describe("an etcd of another stack", () => {
  const probe = () => registered.find(({ name }) => name === "pods-etcd-probe")?.inputs;

  test("is reached by programs where it is, by this program where it is exposed", () => {
    expect(probe()?.["endpoints"]).toEqual(["https://node:32379"]);
    expect(commandLine(podsApiserver!)).toContain("--etcd-servers=https://etcd-0.etcd.svc:2379");
  });

  test("has the programs that remember its data ended once it is another cluster, and followed by them", async () => {
    expect(probe()).toMatchObject({ cluster: "c2", programs: ["karmada-apiserver", "karmada-scheduler"] });
    expect(probe()).toHaveProperty("runtime");
    expect(await valueOf(restoredThere.restored!)).toBe("c2");
  });

  test("one that others run tells nothing of restores, and nothing is ended for it", () => {
    expect(etcd.restored).toBeUndefined();
    const inputs = registered.find(({ name }) => name === "prod-etcd-probe")?.inputs;
    for (const field of ["cluster", "runtime", "programs"]) expect(inputs).not.toHaveProperty(field);
  });
});
