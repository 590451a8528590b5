/** `npm run adopt`: takes over a Karmada that karmadactl init, the Helm chart or karmada-operator built. */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fence, unfence } from "../lib/adoption/fence.ts";
import { readMembers } from "../lib/adoption/members.ts";
import { readPlane } from "../lib/adoption/plane.ts";
import { type HostCluster, withApiServer } from "../lib/adoption/pod-access.ts";
import { saveForeignSnapshot } from "../lib/adoption/snapshot.ts";
import { fullPath } from "../stacks/named-files.ts";
import { install } from "../toolchain/index.ts";
import { confirmed } from "./stack/confirm.ts";
import { fitted } from "./adopt/fitted.ts";
import { nodeAddresses, openHostCluster } from "./adopt/host-cluster.ts";
import { adoptInPlace } from "./adopt/in-place.ts";
import { outlook } from "./adopt/outlook.ts";
import { report, snapshotLine } from "./adopt/report.ts";
import { adoptedStack, type Wanted } from "./adopt/stack-config.ts";
import { usual, wrongUsage } from "./adopt/usage.ts";
import { toolsFor } from "./adopt/versions.ts";
import { writeStack } from "./adopt/write-stack.ts";
import { refuseExisting, refuseOther } from "./adopt/written-stack.ts";
import type { StackArguments } from "./stack/arguments.ts";
import { command, WrongUsage } from "./stack/command.ts";
import { workspaceOf } from "./stack/workspace.ts";

const root = join(import.meta.dirname, "..");

const help = `usage: npm run adopt -- --kubeconfig FILE [--context NAME] [--namespace NAME] [--stack NAME] [--to NAMESPACE]
       npm run adopt -- --kubeconfig FILE ... --look
       npm run adopt -- --kubeconfig FILE ... --in-place
       npm run adopt -- --kubeconfig FILE ... --snapshot FILE
       npm run adopt -- --kubeconfig FILE ... --fence [--yes]
       npm run adopt -- --kubeconfig FILE ... --unfence [--yes]

Takes over a Karmada that karmadactl init, the Helm chart or karmada-operator built in a host cluster: where it is (--in-place), or
by a new plane beside it. For that it reads what is there, takes a snapshot of its etcd and writes a stack file with the same
authorities, versions, address and members, so that its kubeconfigs, tokens and agents stay valid. Changes nothing in the host
cluster but by --fence and --unfence.

  --kubeconfig FILE  kubeconfig of the host cluster
  --context NAME     its context  [the current one]
  --namespace NAME   namespace of the plane that is there  [karmada-system]
  --stack NAME       the stack to be, in Pulumi.NAME.yaml, which must not be there yet, but with --fence  [dev]
  --to NAMESPACE     namespace of the new plane  [karmada]
  --look             writes nothing and takes no snapshot: says what would become of each part of it
  --in-place         the plane goes on where it is: writes its objects as manifests to adopted/NAME, without the data of Secrets, and
                     a stack file whose first preview imports them and changes nothing
  --snapshot FILE    only takes a snapshot of its etcd into FILE
  --fence            ends the programs of the old plane but etcd, frees its NodePort, and takes the snapshot anew: to be done
                     before \`pulumi up\`
  --unfence          the way back: starts them again as they were; end the new plane first
  --yes              do not ask
  --help             print this

Exit codes: 0 done; 1 it could not be done: without --fence and --unfence nothing was written; 2 wrong usage.`;

process.exitCode = await command({
  name: "npm run adopt",
  help,
  switches: ["look", "in-place", "fence", "unfence", "yes"],
  options: ["kubeconfig", "context", "namespace", "to", "snapshot"],
  run: adopt,
});

async function adopt({ stack, flags, values }: StackArguments): Promise<number> {
  const wrong = wrongUsage({ flags, values });
  if (wrong !== undefined) throw new WrongUsage(wrong);
  const { kubeconfig = "", context } = values;
  const { namespace, to } = { ...usual, ...values };
  const path = fullPath(kubeconfig, process.cwd());
  const host = await openHostCluster(path, context, namespace);
  const snapshot = join(workspaceOf(root, stack), "adopted.db");
  if (flags.has("unfence")) return await undo(host, flags.has("yes"));
  if (flags.has("fence")) {
    await refuseOther(root, stack, snapshot);
    return await end(host, snapshot, flags.has("yes"));
  }
  if (values.snapshot !== undefined) {
    const file = fullPath(values.snapshot, process.cwd());
    console.log(snapshotLine(await take(host, file), file));
    return 0;
  }
  const look = flags.has("look");
  if (!look) refuseExisting(root, stack);
  if (flags.has("in-place")) {
    console.log(await adoptInPlace({ root, stack, host, kubeconfig: path, context }));
    return 0;
  }
  return adoptBeside(host, { stack, namespace: to, kubeconfig: path, context, snapshot }, look);
}

/** Writes the stack of a new plane beside the old one; with `look` it only says what would become of each part. */
async function adoptBeside(host: HostCluster, wanted: Wanted, look: boolean): Promise<number> {
  const { stack, kubeconfig, context, snapshot } = wanted;
  const plane = await readPlane(host.client, host.namespace);
  const apiserver = plane.workloads.find(({ program }) => program === "kube-apiserver")!;
  const [nodes, members] = await Promise.all([
    nodeAddresses(host.client),
    withApiServer(host, apiserver, plane.kubeconfig, readMembers),
  ]);
  const adopted = fitted(stack, adoptedStack({ plane, members, nodes }, wanted), root);
  if (look) {
    console.log(outlook({ plane, members, adopted, to: wanted.namespace }));
    return 0;
  }
  const taken = await take(host, snapshot);
  await writeStack(root, stack, adopted).catch(async (error: unknown) => {
    await rm(snapshot, { force: true });
    throw error;
  });
  const again = [
    ...["--kubeconfig", kubeconfig],
    ...(context ? ["--context", context] : []),
    ...["--namespace", host.namespace, "--stack", stack],
  ];
  console.log(report({ plane, members, adopted, taken, stack, snapshot, again }));
  return 0;
}

/** The tools that examine it are of that etcd's version, or the newest. */
async function take(host: HostCluster, file: string) {
  const plane = await readPlane(host.client, host.namespace);
  const [etcd, etcdutl] = await install(toolsFor(plane.etcd.workload.image));
  await mkdir(join(file, ".."), { recursive: true, mode: 0o700 });
  return saveForeignSnapshot(host, plane, file, { etcd: etcd!.path, etcdutl: etcdutl!.path });
}

async function end(host: HostCluster, snapshot: string, yes: boolean): Promise<number> {
  await readPlane(host.client, host.namespace);
  const question = `end the Karmada in ${host.namespace} of ${host.client.server}? its members go on as they are`;
  if (!(await confirmed(question, yes))) return 1;
  const done = await fence(host.client, host.namespace);
  for (const line of done.length > 0 ? done : ["it is fenced already"]) console.log(`  ${line}`);
  console.log(`  ${snapshotLine(await take(host, snapshot), snapshot)}`);
  return 0;
}

async function undo(host: HostCluster, yes: boolean): Promise<number> {
  const question = `start the Karmada in ${host.namespace} of ${host.client.server} again? no other may manage its members`;
  if (!(await confirmed(question, yes))) return 1;
  const done = await unfence(host.client, host.namespace);
  for (const line of done.length > 0 ? done : ["nothing there is fenced"]) console.log(`  ${line}`);
  return 0;
}
