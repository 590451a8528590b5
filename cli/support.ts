/** `npm run support`: all that helps to find out what is wrong with a stack, in one file. */
import { join } from "node:path";
import { type Duration, seconds } from "../spec/values/units.ts";
import { simpleName } from "../toolchain/pulumi/stack-name.ts";
import { command, WrongUsage } from "./stack/command.ts";
import { makeBundle } from "./support/make.ts";
import { wrongUsage } from "./support/usage.ts";

const root = join(import.meta.dirname, "..");

const help = `usage: npm run support [-- [--stack NAME] [--output FILE] [--since DURATION]]

Gathers what helps to find out what is wrong with a stack into one archive, to be looked at by others. Asks the state, etcd, the
Karmada API, hosts and the host cluster, each for a limited time; changes nothing. What cannot be had is named with the reason, on
the screen and in the archive: it is of use also when nothing works any more.

  --stack NAME      the stack  [dev]
  --output FILE     the archive, .tar.gz or .tgz  [karmada-support-NAME-TIME.tar.gz in the current directory]
  --since DURATION  how far back logs go: 30m, 24h; of log files on one machine, those written to since  [24h]
  --help            print this

  contents.txt         all that is in it, and what could not be had
  versions.json        this program, Node.js, pulumi and its plugins, the operating system
  Pulumi.NAME.yaml     the stack file; encrypted values as they are, secrets in clear taken out
  resources.json       types and names of what the stack has, and operations that were begun and not ended
  updates.json         the last updates, and what came of them
  outputs.json         outputs that are not secret
  status.json          etcd, control plane, members and certificates, as npm run status has them
  karmada/             Clusters, events, and which bindings and Works lack a condition
  local/               of a deployment on one machine: its processes and their logs
  hosts/HOST/          the host, its units and their journals
  host-cluster/        of the namespace: pods, Deployments, StatefulSets, events, logs of containers, also of previous ones

Of each log it has the last 5 MiB. No Secrets, kubeconfigs, keys or inputs of resources are in it, and private keys, tokens and
passwords that a log or a message has by accident are taken out by how they look. Names, addresses and what programs log about
what you deploy are in it: look through it before it leaves your organisation. Member clusters are not asked, nor agents that
run in them.

Exit codes: 0 it is written, maybe with parts missing; 1 it is not; 2 wrong usage; 130 interrupted.`;

const code = await command({
  name: "npm run support",
  help,
  options: ["output", "since"],
  async run({ stack, values }, signal) {
    const wrong = wrongUsage(values);
    if (wrong !== undefined) throw new WrongUsage(wrong);
    const { since = "24h" } = values;
    const at = new Date();
    const time = at.toISOString().replace(/[-:]|\.\d+/g, "");
    const { output = `karmada-support-${simpleName(stack)}-${time}.tar.gz` } = values;
    console.error(`stack ${stack}: gathering; each that does not answer is waited for, three minutes at most ...`);
    try {
      console.log(await makeBundle(root, output, { stack, at, since }, seconds(since as Duration), signal));
      return 0;
    } catch (error) {
      if (!signal.aborted) throw error;
      console.error("npm run support: interrupted; nothing is left of it");
      return 130;
    }
  },
});
process.exit(code); // what has not answered in its time is not waited for
