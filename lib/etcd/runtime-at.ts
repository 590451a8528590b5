import { LocalEtcdRuntime } from "./runtime-local.ts";
import type { EtcdRuntime, EtcdRuntimeAddress } from "./runtime.ts";

/** The runtime at an address. */
export function runtimeAt(address: EtcdRuntimeAddress): EtcdRuntime {
  switch (address.kind) {
    case "local":
      return new LocalEtcdRuntime(address.directory);
  }
}
