import { isDeepStrictEqual } from "node:util";
import { labelOf, type HostAddress } from "../../hosts/address.ts";
import { observeRunning } from "../../hosts/found.ts";
import type { Host } from "../../hosts/host.ts";
import { hostAt } from "../../hosts/hosts.ts";
import { hostProcessPaths, userOf } from "../../hosts/layout.ts";
import { elsewhereThan } from "../../hosts/machine.ts";
import { unlessOfAnother } from "../../hosts/owner.ts";
import { Unreachable } from "../../hosts/transport.ts";
import { installPrepared, preparedFiles } from "../../hosts/prepared.ts";
import { lastLines, parseSaid, say, sayRevision } from "../../hosts/process.ts";
import { replaceFile } from "../../hosts/replace-files.ts";
import { revisionVariable } from "../../hosts/unit.ts";
import { FilesIn } from "./files-in.ts";
import { HostDataDirectory } from "./host-data-directory.ts";
import { haltOnHosts, resumeOnHosts } from "./host-programs.ts";
import type { MemberFiles } from "./member-files.ts";
import { deadlineIn, messageOf, waitFor } from "../../wait.ts";
import { advertising } from "../advertised.ts";
import { bootstrapVariables, dataVariable, readBootstrapVariables } from "../bootstrap-variables.ts";
import { linesToRead } from "../log-lines.ts";
import type { Bootstrap, EtcdRuntime, FormerMembers, HostsRuntimeAddress, MemberRun } from "./runtime.ts";

type Hosts = Readonly<Record<string, HostAddress>>;

/**
 * Members that systemd keeps running on hosts. Beside a member's files lie its prepared unit, which is installed at the
 * next start, and what it was last started with; its data are laid out like those of a local member.
 */
export class HostsEtcdRuntime implements EtcdRuntime {
  readonly #hosts: Hosts;
  readonly #all: HostsRuntimeAddress["hosts"];
  readonly #left: HostsRuntimeAddress["left"];
  readonly #before: Hosts;

  /** @param before where members were until now: they are ended there too; a host that does not answer has none */
  constructor({ members, hosts, left }: Omit<HostsRuntimeAddress, "kind">, before: Hosts = {}) {
    this.#hosts = members;
    this.#all = hosts;
    this.#left = left;
    this.#before = before;
  }

  async observe(member: string): Promise<MemberRun> {
    const said = parseSaid(await this.#run(member, `looking at ${member}`, observing(member)));
    const all = (key: string) => said.filter(([name]) => name === key).map(([, value]) => value);
    const [revision] = all("revision");
    const [prepared] = all("prepared");
    const [clientUrl] = all("client");
    const bootstrap = readBootstrapVariables(Object.fromEntries(all("variable").map(pair)));
    return {
      running: revision !== undefined,
      ...(revision !== undefined && { revision }),
      ...(prepared !== undefined && { prepared }),
      ...(bootstrap !== undefined && { bootstrap }),
      ...(clientUrl !== undefined && { clientUrl }),
      incarnations: all("incarnation")
        .map(Number)
        .sort((a, b) => a - b),
    };
  }

  async start(member: string, bootstrap: Bootstrap): Promise<void> {
    await this.#endWhereItWas(member);
    const { data, file, unit } = hostProcessPaths(member);
    const variables = bootstrapVariables(bootstrap, data);
    const user = userOf("etcd");
    const lines = Object.entries(variables).map(([key, value]) => `${key}=${value}\n`);
    const script = [
      installPrepared(member),
      replaceFile(file(preparedFiles.variables), lines.join(""), "600", "root:root"),
      `install -d -m 700 -o ${user} -g ${user} ${variables[dataVariable]}`,
      `systemctl stop ${unit}`,
      `systemctl reset-failed ${unit} 2>/dev/null || true`,
      // It notifies systemd when it serves, which may require other members.
      `systemctl start --no-block ${unit}`,
    ];
    await this.#run(member, `starting ${member}`, script.join("\n"), commandSeconds);
    const host = this.#host(member);
    if (host !== undefined) await runs(host, member);
  }

  async stop(member: string): Promise<void> {
    await this.#run(member, `ending ${member}`, ending(member), commandSeconds);
    await this.#endWhereItWas(member);
  }

  async retire(member: string, incarnation: number): Promise<string | undefined> {
    const { data } = hostProcessPaths(member);
    const script = [
      `from=${data}/${incarnation} to=${data}/retired-${incarnation} i=2`,
      `[ -d "$from" ] || return 0`,
      // What was moved aside before, perhaps by hand, stays.
      `while [ -e "$to" ]; do to=${data}/retired-${incarnation}-$i; i=$((i + 1)); done`,
      `mv -T "$from" "$to"`,
      `echo "$to"`,
    ];
    const moved = await this.#run(member, `putting data of ${member} aside`, script.join("\n"));
    return moved.trim() || undefined;
  }

  async log(member: string): Promise<string> {
    const host = this.#host(member);
    return host === undefined ? "" : lastLines(host, member, linesToRead);
  }

  files(member: string): MemberFiles {
    const address = this.#hosts[member] ?? this.#before[member];
    if (address === undefined) throw new Error(`${member}: there is no host for it`);
    return new FilesIn(new HostDataDirectory(address, member));
  }

  /**
   * On every host of the deployment, whichever member it has now, and on those that have left it and are nobody else's.
   * The previous address of a host that got a new one does not count.
   */
  async former(names: readonly string[], declared: readonly string[]): Promise<FormerMembers> {
    const { deployment, hosts: left } = this.#left ?? { deployment: "", hosts: [] };
    const elsewhere = await elsewhereThan(this.#all, left);
    const found = await Promise.all([
      ...this.#all.map((address) => this.#formerOn(address, names, declared)),
      ...elsewhere.map((address) => this.#formerOn(address, names, declared, unlessOfAnother(deployment))),
    ]);
    return {
      members: found.flatMap((each) => (typeof each === "string" ? [] : each)),
      unseen: found.flatMap((each) => (typeof each === "string" ? each : [])),
    };
  }

  async halt(programs: readonly string[]): Promise<void> {
    await haltOnHosts(this.#all, programs);
  }

  async resume(programs: readonly string[]): Promise<void> {
    await resumeOnHosts(this.#all, programs);
  }

  /** @returns the name of a host that cannot be reached */
  async #formerOn(address: HostAddress, names: readonly string[], declared: readonly string[], first = "true") {
    const lookedFor = names.filter(
      (name) => !(declared.includes(name) && isDeepStrictEqual(this.#hosts[name], address)),
    );
    const script = lookedFor.map((name) => {
      const { data, unitFile } = hostProcessPaths(name);
      return `{ [ -e ${unitFile} ] || [ -e ${data} ]; } && echo ${name}`;
    });
    try {
      const said = await hostAt(address).run("looking for members of etcd", [first, ...script, "true"].join("\n"));
      return parseSaid(said)
        .map(([name]) => name)
        .filter((name) => lookedFor.includes(name))
        .map((name) => ({
          name,
          label: declared.includes(name) ? `${name} on ${labelOf(address)}` : name,
          at: new HostsEtcdRuntime({ members: { [name]: address }, hosts: [address] }),
        }));
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      return labelOf(address);
    }
  }

  /** A host that no longer has a member may itself be gone: then nothing is there, and nothing runs. */
  async #run(member: string, what: string, script: string, seconds?: number): Promise<string> {
    const host = this.#host(member);
    if (host === undefined) return "";
    try {
      return await host.run(what, script, seconds === undefined ? {} : { seconds });
    } catch (error) {
      if (member in this.#hosts) throw error;
      console.debug(messageOf(error));
      return "";
    }
  }

  /** On the host that it moves away from, where systemd would go on with it; not if that is another deployment's by now. */
  async #endWhereItWas(member: string): Promise<void> {
    const [now, before] = [this.#hosts[member], this.#before[member]];
    if (now === undefined || before === undefined || now.address === before.address) return;
    const guard = this.#left === undefined ? [] : [unlessOfAnother(this.#left.deployment)];
    const script = [...guard, ending(member)].join("\n");
    try {
      await hostAt(before).run(`ending ${member}, which moves away`, script, { seconds: commandSeconds });
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      console.debug(messageOf(error));
    }
  }

  #host(member: string): Host | undefined {
    const address = this.#hosts[member] ?? this.#before[member];
    return address && hostAt(address);
  }
}

const shownLines = 20;
/** systemd kills what does not stop within the time its unit allows. */
const commandSeconds = 90;
const runSeconds = 15;

function ending(member: string): string {
  const { unit, unitFile } = hostProcessPaths(member);
  return [
    `[ -f ${unitFile} ] || return 0`,
    `systemctl disable --quiet ${unit}`,
    `systemctl stop ${unit}`,
    `systemctl reset-failed ${unit} 2>/dev/null || true`,
  ].join("\n");
}

function observing(member: string): string {
  const { data, file, unitFile } = hostProcessPaths(member);
  const [unit, variables] = [file(preparedFiles.unit), file(preparedFiles.variables)];
  return [
    say,
    `[ -f ${unit} ] && say prepared "$(sed -n 's/^Environment=${revisionVariable}=//p' ${unit})"`,
    `[ -f ${variables} ] && sed 's/^/variable /' ${variables}`,
    `[ -f ${unitFile} ] && sed -nE 's/^ExecStart=.*${advertising}([^ ",]*).*/client \\1/p' ${unitFile}`,
    `ls ${data} 2>/dev/null | sed -n 's/^[1-9][0-9]*$/incarnation &/p'`,
    sayRevision(member),
  ].join("\n");
}

function pair(variable: string): [string, string] {
  const at = variable.indexOf("=");
  return [variable.slice(0, at), variable.slice(at + 1)];
}

/** Waits until the process exists, whether or not it serves. */
async function runs(host: Host, member: string): Promise<void> {
  const attempt = async () => {
    const { pid, state, result } = await observeRunning(host, member);
    if (pid === undefined) throw new Error(`${state} (${result})`);
  };
  try {
    await waitFor(`${member} to run`, deadlineIn(runSeconds), attempt);
  } catch (error) {
    const log = await lastLines(host, member, shownLines).catch(() => "");
    throw new Error(`${member} on ${host.label}: starting it: ${messageOf(error)}\n${log}`.trimEnd(), { cause: error });
  }
}
