import { HostsEtcdRuntime } from "./hosts.ts";
import { KubernetesEtcdRuntime } from "./kubernetes.ts";
import { LocalEtcdRuntime } from "./local.ts";
import type { EtcdRuntime, EtcdRuntimeAddress, MemberRuntime } from "./runtime.ts";

/**
 * What starts and stops members at an address.
 *
 * @param before where it was until now: members that are no longer declared, or that move, are stopped there
 */
export function memberRuntimeAt(address: EtcdRuntimeAddress, before?: EtcdRuntimeAddress): MemberRuntime {
  switch (address.kind) {
    case "local":
      return new LocalEtcdRuntime(address.directory);
    case "hosts":
      return new HostsEtcdRuntime(address, before?.kind === "hosts" ? before.members : {});
    case "kubernetes":
      return new KubernetesEtcdRuntime(address);
  }
}

/** What starts and stops members at an address, with everything that a restore needs. */
export function runtimeAt(address: EtcdRuntimeAddress): EtcdRuntime {
  switch (address.kind) {
    case "local":
      return new LocalEtcdRuntime(address.directory);
    case "hosts":
      return new HostsEtcdRuntime(address);
    case "kubernetes":
      return new KubernetesEtcdRuntime(address);
  }
}
