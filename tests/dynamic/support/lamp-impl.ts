import { HalfDone, implement } from "../../../providers/implementation.ts";

interface Inputs {
  readonly name: string;
  readonly mood?: string;
  readonly note?: string;
}

interface Outputs {
  readonly seen: Record<string, unknown>;
}

/** A resource without a world: what it is told to do shows how the base carries it over the wire. */
export const provider = implement<Inputs, Outputs>({
  inputs: { name: "replace", mood: "update", note: "ignore" },
  id: ({ name }) => `lamp/${name}`,
  check: ({ mood }) => (mood === "bad" ? [{ property: "mood", reason: 'got "bad", want any other' }] : []),
  async derive({ name, mood }, { inputs, drifted }) {
    if (mood === "doomed") return { inputs: {}, problems: [{ property: "mood", reason: "will not do" }] };
    if (mood !== "noted") return { inputs: {} };
    return {
      inputs: { note: `${name ?? "somebody"} was ${inputs?.mood ?? "not there"}${drifted ? ", drifted" : ""}` },
    };
  },
  create: work,
  update: work,
  async read({ mood }) {
    if (mood === "gone") return undefined;
    return mood === "changed" ? { state: { mood: "otherwise" }, drift: ["its mood was changed"] } : { state: {} };
  },
  async delete({ mood }) {
    if (mood === "stuck") throw new Error("lamp: is stuck");
  },
});

async function work({ mood }: Inputs): Promise<Outputs> {
  const seen = { nothing: undefined, at: new Date(0), list: [undefined, 1], deep: { nothing: undefined } };
  if (mood === "half") throw new HalfDone("lamp: does not shine yet", { seen });
  if (mood === "endless") await new Promise(() => {});
  if (mood === "broken") throw new Error("lamp: is broken");
  return { seen };
}
