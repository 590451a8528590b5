import type { HostAddress } from "../../lib/hosts/address.ts";
import { type ExportedStack, inClear, resourcesOf } from "./state.ts";

/** A namespace of a host cluster. */
export interface PodsPlace {
  readonly kubeconfig: string;
  readonly namespace: string;
}

/** Where the programs of a stack run. */
export interface Places {
  /** Directories of this machine. */
  readonly directories: readonly string[];
  readonly hosts: readonly HostAddress[];
  readonly hostClusters: readonly PodsPlace[];
}

/**
 * The places in which a stack has programs, by its state: that knows them also after an `up` that failed half-way, and
 * has the credentials to log in with.
 */
export function placesOf(state: ExportedStack): Places {
  const all = resourcesOf(state).filter((resource) => resource.delete !== true);
  const inputsOf = (module: string): Inputs[] =>
    all
      .filter(({ type }) => type.startsWith(`pulumi-nodejs:dynamic/${module}:`))
      .map(({ inputs = {} }) => inClear(inputs) as Inputs);
  const hosts = inputsOf("hosts").flatMap(({ host, hosts = {} }) => [host, ...Object.values(hosts).map(addressOf)]);
  const pods = inputsOf("kubernetes").map(({ kubeconfig, namespace }) => ({ kubeconfig, namespace }));
  return {
    directories: distinct(
      inputsOf("local").map(({ directory }) => directory),
      String,
    ),
    hosts: distinct(hosts, ({ kind, address }) => `${kind} ${address}`),
    hostClusters: distinct(
      pods.filter((each): each is PodsPlace => each.kubeconfig !== undefined && each.namespace !== undefined),
      ({ namespace }) => namespace,
    ),
  };
}

/** Inputs of dynamic resources, as far as they name a place. */
interface Inputs {
  readonly directory?: string;
  readonly host?: HostAddress;
  readonly hosts?: Readonly<Record<string, { readonly address?: HostAddress }>>;
  readonly kubeconfig?: string;
  readonly namespace?: string;
}

const addressOf = ({ address }: { readonly address?: HostAddress }) => address;

/** Those that are there, each once: of two the first, which an `up` that failed half-way has come to. */
function distinct<T>(values: readonly (T | undefined)[], key: (value: T) => string): T[] {
  const present = values.filter((value) => value !== undefined);
  return present.filter((value, i) => present.findIndex((other) => key(other) === key(value)) === i);
}
