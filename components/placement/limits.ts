import { bytes, coresOf, type Size } from "../../spec/values/units.ts";
import type { Process } from "../process.ts";

/**
 * Limits that a Go program observes by itself, since only root may impose others on a process: the garbage collector
 * works harder near the memory limit, and no more threads run than the given cores. Neither is a hard limit.
 */
export function limitVariables({ memory, cpu }: NonNullable<Process["limits"]> = {}): Record<string, string> {
  return {
    ...(memory !== undefined && { GOMEMLIMIT: `${bytes(memory as Size)}` }),
    ...(cpu !== undefined && { GOMAXPROCS: `${wholeCores(cpu)}` }),
  };
}

const wholeCores = (cpu: string): number => Math.max(1, Math.ceil(coresOf(cpu)));
