import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { namespacePath } from "../../lib/host-cluster/namespace.ts";
import { connect } from "../../lib/kube/client.ts";
import { cleanMember } from "../../lib/members/cleanup.ts";
import { becomeReady } from "../../lib/members/registration.ts";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";
import type { MemberClusters } from "../../tests/e2e/support/member-clusters.ts";
import type { KubernetesLab } from "../../tests/support/kubernetes-lab.ts";
import { programPath } from "../../tests/support/programs.ts";
import { Programs } from "../../tests/support/running.ts";
import { seconds } from "../benchmark.ts";

const namespace = "karmada-system";

/**
 * `karmadactl init` with its own defaults in an empty host cluster that has the images, then `karmadactl join` for each
 * member, until all are Ready; in seconds. Nothing of it is left afterwards.
 */
export async function byKarmadactl(lab: KubernetesLab, members: MemberClusters): Promise<number> {
  const files = new Programs(await mkdtemp(join(lab.directory, "karmadactl-")));
  const program = await programPath("karmadactl");
  const karmadactl = (...args: string[]) => execa(program, args, { env: withoutInternet, timeout: 400_000 });
  const host = files.write("host.kubeconfig", lab.cluster.kubeconfig);
  for (const [name, { kubeconfig }] of members.byName) files.write(`${name}.kubeconfig`, kubeconfig);
  const own = join(files.directory, "data/karmada-apiserver.config");
  const init = [
    `--kubeconfig=${host}`,
    `--crds=${await archiveOfCrds(files.directory)}`,
    `--karmada-data=${join(files.directory, "data")}`,
    `--karmada-pki=${join(files.directory, "data/pki")}`,
    `--etcd-data=${join(files.directory, "etcd")}`,
    "--etcd-image=quay.io/coreos/etcd:v3.6.6",
    "--kube-image-tag=v1.35.3",
  ];
  try {
    return await seconds(async () => {
      await karmadactl("init", ...init);
      for (const name of members.byName.keys()) {
        const kubeconfig = join(files.directory, `${name}.kubeconfig`);
        await karmadactl("join", name, `--kubeconfig=${own}`, `--cluster-kubeconfig=${kubeconfig}`);
      }
      const plane = await connect(await readFile(own, "utf8"));
      for (const name of members.byName.keys()) await becomeReady(plane, name, deadlineIn(60));
    });
  } finally {
    await karmadactl("deinit", `--kubeconfig=${host}`, "--force");
    await removeNamespace(lab);
    for (const [name, { client }] of members.byName) await cleanMember(client, name, deadlineIn(60));
    await files.remove();
  }
}

/** It asks a web page for its public address, and continues without an answer. */
const withoutInternet = { HTTPS_PROXY: "http://127.0.0.1:9", NO_PROXY: "10.0.0.0/8,127.0.0.1" };

/** As it is released. */
async function archiveOfCrds(directory: string): Promise<string> {
  const archive = join(directory, "crds.tar.gz");
  const crds = await programPath("karmada-crds");
  await execa("tar", ["-C", crds, "--transform=s,^\\.,crds,", "-czf", archive, "."]);
  return archive;
}

/** What `deinit` leaves. */
async function removeNamespace({ cluster: { client } }: KubernetesLab): Promise<void> {
  await client.delete(namespacePath(namespace));
  await waitFor(`the namespace ${namespace} to be gone`, deadlineIn(120), async () =>
    (await client.find(namespacePath(namespace))) === undefined ? undefined : new Pending("it is still there"),
  );
}
