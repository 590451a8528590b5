import { sha256 } from "../../lib/sha256.ts";
import { implement } from "../../providers/implementation.ts";
import { keptOnce } from "../../providers/kept-once.ts";

interface Inputs {
  readonly cluster: string;
  readonly kubeconfig: string;
}

const given: Inputs[] = [];
const keep = (inputs: Inputs) => Promise.resolve(void given.push(inputs)).then(() => ({}));
const provider = keptOnce(
  implement<Inputs, object>({
    inputs: { cluster: "replace", kubeconfig: "update" },
    id: ({ cluster }) => cluster,
    create: keep,
    update: keep,
    read: () => Promise.resolve({ state: {} }),
    delete: (state) => keep(state).then(() => undefined),
  }),
  ["kubeconfig"],
);
const inputs = (kubeconfig: string) => ({ cluster: "m1", kubeconfig });
const checked = async (text: string) => (await provider.check(undefined, inputs(text))).inputs as Inputs;

test("of a long text the digest is among the inputs, and the text among the outputs", async () => {
  const news = await checked("one");
  expect(news).toEqual({ cluster: "m1", kubeconfig: sha256("one") });
  const { outs } = await provider.create(news);
  expect(outs).toEqual({ ...inputs("one"), schemaVersion: 1 });
  expect(given.pop()).toEqual(inputs("one"));
  expect(await provider.read("m1", outs)).toEqual({ id: "m1", props: outs, inputs: news });
  await provider.delete("m1", outs!);
  expect(given.pop()).toEqual(inputs("one"));
});

test("the same text is no change, another one is", async () => {
  const state = { ...inputs("one"), schemaVersion: 1 };
  expect(await provider.diff("m1", state, await checked("one"))).toMatchObject({ changes: false });
  const another = await checked("another");
  expect(await provider.diff("m1", state, another)).toMatchObject({ changes: true, replaces: [] });
  expect((await provider.update("m1", state, another)).outs).toEqual({ ...state, kubeconfig: "another" });
});

test("a text that was not checked in this run cannot be had", () => {
  const news = inputs(sha256("never seen"));
  expect(() => provider.create(news)).toThrow(
    "m1: kubeconfig: its content was not checked in this run\nrun `pulumi up` again without targets",
  );
});
