import { z } from "zod";
import type { Resolved } from "../field.ts";
import { bytes, cores, coresOf, size } from "./units.ts";

const requests = z
  .strictObject({
    memory: size.optional().describe("Memory that its node keeps for it. Default: `memory` above."),
    cpu: cores.optional().describe("Cores that its node keeps for it. Default: `cpu` above."),
  })
  .optional()
  .describe("What a node has to have free for a pod of it. Of no effect where it is no pod.");

/** Limits and requests of a program. */
export const resources = z
  .strictObject({
    memory: size
      .optional()
      .describe(
        "Most memory it may use. On one machine nothing enforces it: its garbage collector works towards it (`GOMEMLIMIT`).",
      ),
    cpu: cores
      .optional()
      .describe(
        "Most cores it may use. On one machine nothing enforces it: as many of its threads are at work at once (`GOMAXPROCS`), in whole cores.",
      ),
    requests,
  })
  .superRefine(({ memory, cpu, requests = {} }, issue) => {
    const check = (field: "memory" | "cpu", isMore: boolean, most?: string) => {
      if (!isMore) return;
      const message = `got "${requests[field]}", want at most "${most}", which is the limit`;
      issue.addIssue({ code: "custom", path: ["requests", field], message });
    };
    const { memory: leastMemory, cpu: leastCpu } = requests;
    check("memory", !!memory && !!leastMemory && bytes(leastMemory) > bytes(memory), memory);
    check("cpu", !!cpu && !!leastCpu && coresOf(leastCpu) > coresOf(cpu), cpu);
  })
  .prefault({})
  .describe("Limits, and what is kept for it; none when left out.");

export type Resources = Resolved<z.output<typeof resources>, never>;
