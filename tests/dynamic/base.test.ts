import { serialisedProviders, startDynamicProvider, unknown } from "./support/dynamic-provider.ts";
import type { DynamicProvider, CallError } from "./support/dynamic-provider.ts";

/** What undefined, a Date and a hole in a list become on the wire. */
const seen = { at: "1970-01-01T00:00:00.000Z", list: [null, 1], deep: {} };

describe("the base of dynamic resources, over the wire", () => {
  let host: DynamicProvider;
  let __provider: string;

  beforeAll(async () => {
    const file = new URL("support/lamp.ts", import.meta.url).pathname;
    __provider = (await serialisedProviders([file])).Lamp ?? "";
    host = await startDynamicProvider();
  });
  afterAll(() => host.stop());

  const inputs = (mood?: string) => ({ __provider, name: "a", ...(mood !== undefined && { mood }) });
  const state = (mood?: string) => ({ ...inputs(mood), seen, schemaVersion: 1 });
  const failure = (call: Promise<unknown>) => call.catch((error: unknown) => error) as Promise<CallError>;

  test("gives outputs with the inputs, a deterministic id, and nothing the wire cannot carry", async () => {
    expect(await host.create(inputs())).toEqual({ id: "lamp/a", outs: state() });
  });

  test("keeps what is half done, with the code that continues it, and its reason", async () => {
    for (const call of [host.create(inputs("half")), host.update("lamp/a", state("half"), inputs("half"))]) {
      const error = await failure(call);
      expect(error.message).toBe("lamp: does not shine yet");
      const reasons = ["lamp: does not shine yet"];
      expect(error.partial).toEqual({ id: "lamp/a", properties: state("half"), reasons });
    }
  });

  test("keeps nothing of what never came into being", async () => {
    const error = await failure(host.create(inputs("broken")));
    expect(error.message).toBe("lamp: is broken");
    expect(error.partial).toBeUndefined();
  });

  test("says in the preview what is wrong with an input", async () => {
    const failures = [{ property: "mood", reason: 'got "bad", want any other' }];
    expect(await host.check({}, inputs("bad"))).toEqual({ inputs: inputs("bad"), failures });
  });

  test("adds inputs that follow from the world, from the inputs before and from what a refresh has found", async () => {
    const derived = (note: string, news = inputs("noted")) => ({ inputs: { ...news, note }, failures: [] });
    expect(await host.check({}, inputs("noted"))).toEqual(derived("a was not there"));
    expect(await host.check(inputs("good"), inputs("noted"))).toEqual(derived("a was good"));
    expect(await host.check({ ...inputs("good"), drift: ["x"] }, inputs("noted"))).toEqual(
      derived("a was good, drifted"),
    );
    const news = { ...inputs("noted"), name: unknown };
    expect(await host.check(inputs("good"), news)).toEqual(derived("somebody was good", news));
    expect((await host.check({}, inputs("doomed"))).failures).toEqual([{ property: "mood", reason: "will not do" }]);
  });

  test("does not take such an input for a difference", async () => {
    const before = { ...state("noted"), note: "a was not there" };
    expect((await host.diff("lamp/a", before, { ...inputs("noted"), note: "a was good" })).changes).toBe(false);
  });

  test("tells the engine what is gone", async () => {
    expect((await host.read("lamp/a", state("gone"))).id).toBe("");
  });

  test("shows drift among the inputs, and forgets it when it is gone", async () => {
    const found = await host.read("lamp/a", state("changed"));
    const drift = ["its mood was changed"];
    expect(found.props).toEqual({ ...state("otherwise"), drift });
    expect(found.inputs).toEqual({ ...inputs("otherwise"), drift });
    expect((await host.diff("lamp/a", found.props, inputs("otherwise"))).changes).toBe(true);
    expect((await host.read("lamp/a", { ...state(), drift })).props).toEqual(state());
    expect((await host.update("lamp/a", found.props, inputs())).outs).toEqual(state());
  });

  test("sees that an optional input was taken away", async () => {
    expect((await host.diff("lamp/a", state("good"), inputs())).changes).toBe(true);
  });

  test("prints the message of an error for the operator, not its stack", async () => {
    const error = await failure(host.delete("lamp/a", state("stuck")));
    expect(error.message).toBe("lamp: is stuck");
    expect(host.output()).not.toContain("lamp-impl.ts");
  });
});
