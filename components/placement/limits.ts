import { bytes, coresOf, type Size } from "../../spec/units.ts";
import type { Process } from "../process.ts";

/**
 * Limits as a Go program keeps them by itself, since nobody but root may set others for a process: a garbage collector
 * that works harder towards the limit, and no more threads at work than there are cores. Neither is a hard limit.
 */
export function limitVariables({ memory, cpu }: NonNullable<Process["limits"]> = {}): Record<string, string> {
  return {
    ...(memory !== undefined && { GOMEMLIMIT: `${bytes(memory as Size)}` }),
    ...(cpu !== undefined && { GOMAXPROCS: `${wholeCores(cpu)}` }),
  };
}

const wholeCores = (cpu: string): number => Math.max(1, Math.ceil(coresOf(cpu)));
