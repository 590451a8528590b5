import type { Probe } from "../probe.ts";

/** What shows whether a program of the control plane works. */
export type Sign =
  /** The API server itself says so. */
  | { readonly kind: "readyz" }
  /** The lease that is renewed by the one of its replicas that works. */
  | { readonly kind: "lease"; readonly namespace: string; readonly name: string }
  /** The API server reaches the APIs that it passes on to this Service. */
  | { readonly kind: "apis"; readonly service: string }
  /** It admits an object, which is not written. */
  | { readonly kind: "admission" }
  /** It answers on the machine that the whole deployment is on. */
  | { readonly kind: "probe"; readonly probe: Probe }
  /** Nothing that the API shows: it works alone, and so holds no lease. On this host; @default not known */
  | { readonly kind: "none"; readonly host?: string };

/** A program of the control plane, whatever the number of its replicas: an entry of a stack's output `programs`. */
export interface PlaneProgram {
  /** Upstream's name: `karmada-scheduler`. */
  readonly name: string;
  readonly sign: Sign;
}
