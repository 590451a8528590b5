import { labelOf, type HostAddress } from "../lib/hosts/address.ts";
import { gatherFacts } from "../lib/hosts/facts.ts";
import type { Looked, Seen } from "../lib/hosts/finding.ts";
import { hostAt, noteLogin } from "../lib/hosts/hosts.ts";
import { hostPaths } from "../lib/hosts/layout.ts";
import { letGoOf } from "../lib/hosts/letting-go.ts";
import { machineAt } from "../lib/hosts/machine.ts";
import { claimScript, onlyOf } from "../lib/hosts/owner.ts";
import { interfacesOf } from "../lib/hosts/preflight-vip.ts";
import { judge, report } from "../lib/hosts/preflight.ts";
import { whyKeyIsUnusable } from "../lib/hosts/private-key.ts";
import { cutOff, outOfReach } from "../lib/hosts/reach.ts";
import { messageOf } from "../lib/wait.ts";
import type { HostPreflightInputs, HostPreflightOutputs, WantedHost } from "./host-preflight.ts";
import { lookAround } from "./hosts/changed-by-hand.ts";
import { otherInterfaces } from "./hosts/interfaces.ts";
import { noteReplaced, removeWhereReachable, whereReachable } from "./hosts/out-of-reach.ts";
import { HalfDone, implement, unseen } from "./implementation.ts";

export const provider = implement<HostPreflightInputs, HostPreflightOutputs>({
  inputs: { deployment: "replace", hosts: "update", left: "ignore" },
  // 2: it has `left`, since a preview knows only what a run has recorded.
  schemaVersion: 2,
  deleteBeforeReplace: true,
  id: ({ deployment }) => `${deployment}-hosts`,
  check: ({ hosts = {} }) => [...checkAddresses(Object.values(hosts)), ...checkKeys(Object.values(hosts))],
  derive: async ({ hosts }, { inputs: before }) => {
    if (hosts === undefined || before === undefined) return { inputs: {} };
    for (const { address } of Object.values(hosts)) {
      noteLogin(address);
      // Starts the look for later warnings early.
      if (isKnown(address, before)) void lookAround(address);
    }
    const inputs = leftOf(before, hosts);
    for (const host of Object.values(inputs.left ?? {})) {
      const by = hosts[host.name]?.address;
      if (by !== undefined && by.address !== host.address) noteReplaced(host, by);
    }
    return { inputs };
  },
  create: (inputs) => take(inputs),
  async read(state) {
    const owners = await Promise.all(
      Object.values(state.taken ?? {}).map(
        async (host) => [host, await whereReachable(host, () => owner(host))] as const,
      ),
    );
    const seen = owners.filter(([, owner]) => owner !== unseen);
    const lost = seen.filter(([, owner]) => owner !== state.deployment);
    const wanted = seen.map(([{ name, address }]) => [address, state.hosts[name]] as const);
    const same = wanted.flatMap(([address, host]) => (host?.address.address === address ? [host] : []));
    const [walls, others] = await Promise.all([wallsBetween(same), otherInterfaces(same, state.interfaces)]);
    const owned = lost.map(([host, owner]) => `${labelOf(host)}: ${ownerInWords(owner)}`);
    return { state: {}, drift: [...owned, ...walls, ...others] };
  },
  update: (inputs, state) => take(inputs, state),
  async delete({ deployment, taken = {} }) {
    await everyOne(
      Object.values(taken).map((host) => removeWhereReachable(host, () => letGoOf(hostAt(host), deployment))),
    );
  },
});

/** Runs all of them, even if one fails. @throws with the messages of all hosts */
async function everyOne(runs: readonly Promise<void>[]): Promise<void> {
  const failures = (await Promise.allSettled(runs)).flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  if (failures.length > 0) throw new Error(failures.map(messageOf).join("\n"), { cause: failures[0] });
}

const isKnown = ({ name, address }: HostAddress, { hosts }: Partial<HostPreflightInputs>): boolean =>
  hosts?.[name]?.address.address === address;

/**
 * Kept until the hosts change again: the consequences of that change may be interrupted, and are then continued by the
 * next run.
 */
function leftOf(before: Partial<HostPreflightInputs>, hosts: HostPreflightInputs["hosts"]) {
  const addresses = Object.values(before.hosts ?? {}).map(({ address }) => address);
  const gone = addresses.filter(({ name, address }) => hosts[name]?.address.address !== address);
  const isChange = gone.length > 0 || Object.keys(hosts).some((name) => before.hosts?.[name] === undefined);
  const left = isChange ? Object.fromEntries(gone.map((address) => [address.name, address])) : before.left;
  return left !== undefined && Object.keys(left).length > 0 ? { left } : {};
}

function checkAddresses(hosts: readonly WantedHost[]) {
  return hosts.flatMap(({ address }, i) => {
    const before = hosts.slice(0, i).find((other) => other.address.address === address.address);
    if (before === undefined) return [];
    return [{ property: "hosts", reason: `${labelOf(address)}: ${before.address.name} has the same address` }];
  });
}

/** A key given for many hosts is reported at each: they need not all have it. */
function checkKeys(hosts: readonly WantedHost[]) {
  return hosts.flatMap(({ address }) => {
    if (address.kind === "local") return [];
    const problems = [...(address.through ?? []), address].flatMap((endpoint) => whyKeyIsUnusable(endpoint) ?? []);
    return [...new Set(problems)].map((problem) => ({ property: "hosts", reason: `${labelOf(address)}: ${problem}` }));
  });
}

async function take(inputs: HostPreflightInputs, state?: HostPreflightState): Promise<HostPreflightOutputs> {
  const { taken: before = {} } = state ?? {};
  const hosts = Object.values(inputs.hosts);
  const known = knownTo(state);
  const looked = await Promise.all(hosts.map((host) => look(host, inputs, known)));
  const findings = judge(inputs.deployment, looked);
  const warnings = findings.filter(({ severity }) => severity === "warning");
  if (warnings.length > 0) console.log(report(warnings));
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(`the hosts cannot be used, nothing was changed:\n${report(errors)}`);

  const seen = looked as readonly Seen[];
  const isFirst = state === undefined && seen.every(({ facts }) => facts.deployment === undefined);
  const firstTakenAt = isFirst ? Date.now() : state?.firstTakenAt;
  const systems = Object.fromEntries(seen.map(({ needs, facts }) => [needs.name, facts.os]));
  const interfaces = Object.fromEntries(
    seen.flatMap((host) => (host.needs.vip === undefined ? [] : [[host.needs.name, interfacesOf(host)!]])),
  );
  const machines = Object.fromEntries(seen.map(({ needs, facts }) => [needs.name, facts.machine]));
  const found = { systems, interfaces, machines, ...(firstTakenAt !== undefined && { firstTakenAt }) };
  const taken = Object.fromEntries(hosts.map(({ address }) => [address.name, address]));
  // A renamed host is not gone; one whose name has passed to another machine is.
  const stay = new Set(hosts.map(({ address }) => address.address));
  const gone = Object.values(before).filter((host) => !stay.has(host.address));
  try {
    await Promise.all(hosts.map(({ address }) => claim(address, inputs.deployment)));
    const here = gone.length === 0 ? [] : await Promise.all(hosts.map(({ address }) => machineAt(address)));
    await Promise.all(gone.map((host) => leave(host, inputs.deployment, here)));
  } catch (error) {
    // A partial claim has to be released, too.
    const both = { ...Object.fromEntries(gone.map((host) => [labelOf(host), host])), ...taken };
    throw new HalfDone(messageOf(error), { ...found, taken: both }, { cause: error });
  }
  return { ...found, taken };
}

/** What the state already has. */
interface Known {
  isHost(host: HostAddress, machine: string): boolean;
  /** Whether it is an address its hosts share. */
  isVip(address: string): boolean;
}

const knownTo = (state: HostPreflightState | undefined): Known => ({
  isHost: hostsOf(state),
  isVip: (address) => Object.values(state?.hosts ?? {}).some(({ vip }) => vip?.address === address),
});

/**
 * Which hosts a state has, by address or machine; by name alone if it has not recorded the machine. Those the last
 * change removed are among them: their mark goes early in an `up`, but their contents only at its end. A state without
 * the list dates from before it existed.
 */
function hostsOf(state: HostPreflightState | undefined): Known["isHost"] {
  if (state?.taken === undefined) return () => state !== undefined;
  const { taken, left = {}, machines = {} } = state;
  const names = new Set(Object.values(taken).map(({ name }) => name));
  const addresses = new Set([...Object.values(taken), ...Object.values(left)].map(({ address }) => address));
  const known = new Set(Object.values(machines).filter((machine) => machine !== ""));
  return ({ name, address }, machine) =>
    addresses.has(address) || known.has(machine) || (names.has(name) && machines[name] === undefined);
}

type HostPreflightState = Partial<HostPreflightInputs & HostPreflightOutputs>;

async function look(
  { address, ports, etcd, etcdData, installed = [], sockets = [], vip, names = [], mirror }: WantedHost,
  { hosts }: HostPreflightInputs,
  known: Known,
): Promise<Looked> {
  const reach = targetsOf(address, Object.values(hosts));
  const data = etcdData !== undefined && { etcdData };
  const from = mirror !== undefined && { mirror };
  const { name, address: at } = address;
  const needs = {
    name,
    address: at,
    known: false,
    ports,
    etcd,
    ...data,
    ...(vip && { vip, vipKnown: known.isVip(vip.address) }),
    ...from,
  };
  const asked = { disk: etcd, reach, names, installed, sockets };
  const questions = { ...asked, ...data, ...(vip && { vip: vip.address }), ...from };
  try {
    const facts = await gatherFacts(hostAt(address), questions);
    return { needs: { ...needs, known: known.isHost(address, facts.machine) }, facts };
  } catch (error) {
    return { needs, failure: messageOf(error).replace(`${labelOf(address)}: `, "") };
  }
}

/** Ports of other hosts that programs on a host must be able to reach. */
const targetsOf = ({ name }: HostAddress, hosts: readonly WantedHost[]): string[] =>
  hosts
    .filter(({ address }) => address.name !== name)
    .flatMap(({ address, reached }) => reached.map((port) => `${address.address}:${port}`));

/** A sentence for each port that a host can no longer reach. The obstacle is not ours: `up` only reports it again. */
async function wallsBetween(hosts: readonly WantedHost[]): Promise<string[]> {
  const walls = await Promise.all(
    hosts.map(async ({ address }) => {
      const found = await whereReachable(address, () => outOfReach(hostAt(address), targetsOf(address, hosts)));
      return found === unseen
        ? []
        : Object.entries(found).map(([to, answer]) => `${labelOf(address)}: ${cutOff(to, answer)}`);
    }),
  );
  return walls.flat();
}

async function owner(host: HostAddress): Promise<string> {
  return (await hostAt(host).run("asking whose it is", `cat ${hostPaths.deployment} 2>/dev/null || true`)).trim();
}

const ownerInWords = (owner: string): string =>
  owner === "" ? "it belongs to nobody any more" : `it belongs to deployment "${owner}"`;

async function claim(host: HostAddress, deployment: string): Promise<void> {
  await hostAt(host).run("taking it", claimScript(deployment));
}

/**
 * For a host that leaves this deployment: what is there is removed by its own resources, later in the same `up`. If it
 * turns out to be one of the machines that stay, only an address has changed.
 */
async function leave(host: HostAddress, deployment: string, machines: readonly (string | undefined)[]): Promise<void> {
  const { deployment: file, files, data, links, programs } = hostPaths;
  const script = [
    onlyOf(deployment),
    `rm -f ${file}`,
    `rmdir ${files} ${data} ${links} ${programs} 2>/dev/null || true`,
  ];
  await removeWhereReachable(host, async () => {
    const machine = await machineAt(host);
    if (machine !== undefined && machines.includes(machine)) return;
    await hostAt(host).run("letting go of it", script.join("\n"));
  });
}
