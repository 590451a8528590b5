import { restartPrograms } from "../lib/programs/restart.ts";
import { implement } from "./implementation.ts";
import { asBefore, type WaysInUseInputs } from "./ways-in-use.ts";

export const provider = implement<WaysInUseInputs, object>({
  inputs: { ways: "update", holders: "ignore", mayKnowOthers: "ignore" },
  id: () => "ways-in-use",
  derive: ({ ways }, { inputs: before }) =>
    Promise.resolve({ inputs: ways === undefined ? {} : { ways: withFormer(ways, before?.ways ?? {}) } }),
  async create({ holders, mayKnowOthers = false }) {
    if (mayKnowOthers) await restartPrograms(holders.runtime, holders.programs);
    return {};
  },
  async update({ ways, holders }, { ways: before }) {
    const isOther = Object.entries(ways).some(([member, way]) => (before[member] ?? way) !== way);
    if (isOther) await restartPrograms(holders.runtime, holders.programs);
    return {};
  },
  delete: () => Promise.resolve(),
});

/** Forgetting it would hide that another way follows it. */
const withFormer = (ways: Ways, before: Ways): Ways =>
  Object.fromEntries(
    Object.entries(ways).flatMap(([member, way]) => {
      const known = way === asBefore ? before[member] : way;
      return known === undefined ? [] : [[member, known]];
    }),
  );

type Ways = WaysInUseInputs["ways"];
