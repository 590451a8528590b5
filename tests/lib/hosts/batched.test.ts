import { batched } from "../../../lib/hosts/batched.ts";
import { Host } from "../../../lib/hosts/host.ts";

const [one, other] = ["host1", "host2"].map((name) => new Host({ kind: "local", name, address: "127.0.0.1" }));

/** Answers with its label and the question, once it is let. */
function asking() {
  const asked: string[][] = [];
  const lets: (() => void)[] = [];
  const ask = batched<string, string>(async (host, questions) => {
    asked.push([host.label, ...questions]);
    await new Promise<void>((resolve) => lets.push(resolve));
    if (questions.includes("bad")) throw new Error("refused");
    return questions.map((question) => `${host.label} ${question}`);
  });
  const letOne = async () => {
    const deadline = Date.now() + 5000;
    while (lets.length === 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
    lets.shift()!();
  };
  return { ask, asked, letOne };
}

test("asks a host at once what is asked in one go, and what is asked meanwhile by the next command", async () => {
  const { ask, asked, letOne } = asking();
  const first = Promise.all([ask(one!, "a"), ask(one!, "b"), ask(other!, "c")]);
  await letOne();
  const second = Promise.all([ask(one!, "d"), ask(one!, "e")]);
  await letOne();
  expect(await first).toEqual([`${one!.label} a`, `${one!.label} b`, `${other!.label} c`]);
  await letOne();
  expect(await second).toEqual([`${one!.label} d`, `${one!.label} e`]);
  const later = ask(one!, "f");
  await letOne();
  expect(await later).toBe(`${one!.label} f`);
  expect(asked).toEqual([
    [one!.label, "a", "b"],
    [other!.label, "c"],
    [one!.label, "d", "e"],
    [one!.label, "f"],
  ]);
});

test("tells all who asked why a command failed, and asks again later", async () => {
  const { ask, letOne } = asking();
  const asked = [ask(one!, "bad"), ask(one!, "a")].map((each) => each.catch((error: Error) => error.message));
  await letOne();
  expect(await Promise.all(asked)).toEqual(["refused", "refused"]);
  const later = ask(one!, "a");
  await letOne();
  expect(await later).toBe(`${one!.label} a`);
});
