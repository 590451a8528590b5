import { restartPrograms } from "../lib/programs/restart.ts";
import { implement } from "./implementation.ts";
import type { WaysInUseInputs } from "./ways-in-use.ts";

export const provider = implement<WaysInUseInputs, object>({
  inputs: { ways: "update", holders: "ignore" },
  id: () => "ways-in-use",
  create: () => Promise.resolve({}),
  async update({ ways, holders }, { ways: before }) {
    const isOther = Object.entries(ways).some(([member, way]) => (before[member] ?? way) !== way);
    if (isOther) await restartPrograms(holders.runtime, holders.programs);
    return {};
  },
  delete: () => Promise.resolve(),
});
