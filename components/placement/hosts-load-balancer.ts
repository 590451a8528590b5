import * as pulumi from "@pulumi/pulumi";
import { hostProcessPaths, userOf } from "../../lib/hosts/layout.ts";
import type { HostPreflight } from "../../providers/host-preflight.ts";
import type { HaproxyLoadBalancer } from "../../spec/placement/load-balancer.ts";
import type { Pki } from "../pki.ts";
import { inTurn, place } from "../placed.ts";
import type { FrontOptions, Placement } from "../placement.ts";
import type { Process } from "../process.ts";
import {
  keepalivedComponent,
  keepalivedConfiguration,
  keepalivedFiles,
  keepalivedName,
  keepalivedProcess,
} from "../processes/keepalived.ts";

/** Where the load balancer runs, and its backends. */
export interface HostsLoadBalancerArgs extends Pick<FrontOptions, "dependsOn"> {
  readonly settings: HaproxyLoadBalancer;
  /** Addresses of all hosts by name. */
  readonly addresses: ReadonlyMap<string, string>;
  /** One for each of its hosts. */
  readonly haproxies: readonly Process[];
  readonly preflight: HostPreflight;
  readonly placement: Placement & Required<Pick<Placement, "hostName">>;
  readonly pki: Pki;
}

/**
 * haproxy and keepalived on each of some hosts, changed one host after another, so that the address always stays on one
 * that serves. Deleting it takes the address from all of them.
 */
export class HostsLoadBalancer extends pulumi.ComponentResource {
  /** Created once every host can take over the address. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: HostsLoadBalancerArgs, opts: pulumi.ComponentResourceOptions) {
    super("karmada:placement:HostsLoadBalancer", name, {}, opts);
    const { haproxies, placement, pki } = args;
    const ready: pulumi.Resource[] = [];
    for (const haproxy of haproxies) {
      const host = placement.hostName(haproxy.name);
      const turn = ready.slice(-1).map((before) => inTurn(placement, before));
      const { resource } = place({ placement, pki }, haproxy, this, [...args.dependsOn, ...turn]);
      const keepalived = keepalivedProcess(host);
      const contents = {
        ...pki.fileContents(keepalived),
        [keepalivedFiles.configuration]: configurationFor(host, args),
      };
      ready.push(resource, placement.place(keepalived, contents, { parent: this, dependsOn: resource }).resource);
    }
    this.ready = ready;
    this.registerOutputs({});
  }
}

function configurationFor(
  host: string,
  { settings, addresses, preflight }: HostsLoadBalancerArgs,
): pulumi.Output<string> {
  const hosts = settings.hosts.map((name) => ({ name, address: addresses.get(name) ?? "" }));
  return preflight.interfaces.apply((interfaces) => {
    const found = interfaces[host];
    if (found === undefined) throw new Error(`${host}: it was not asked for its network interfaces`);
    return keepalivedConfiguration({
      host,
      hosts,
      vip: settings.vip,
      routerId: settings.routerId,
      interfaces: found,
      user: userOf(keepalivedComponent),
      check: hostProcessPaths(keepalivedName(host)).file(keepalivedFiles.check),
    });
  });
}
