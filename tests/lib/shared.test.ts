import { shared } from "../../lib/shared.ts";

/** A question whose answers, numbers from 1 on, come when they are told to. */
function question() {
  const answers: { come(): void; fail(): void }[] = [];
  const ask = shared(
    () =>
      new Promise<number>((resolve, reject) => {
        const number = answers.length + 1;
        answers.push({ come: () => resolve(number), fail: () => reject(new Error(`no ${number}`)) });
      }),
  );
  return { ask, answers };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

test("what is asked at the same time is one question", async () => {
  const { ask, answers } = question();
  const asked = [ask(), ask(), ask()];
  await soon();
  expect(answers).toHaveLength(1);
  answers[0]!.come();
  expect(await Promise.all(asked)).toEqual([1, 1, 1]);
});

test("who asks while an answer is under way gets the next one, with all who came meanwhile", async () => {
  const { ask, answers } = question();
  const first = ask();
  await soon();
  const later = [ask(), ask()];
  await soon();
  expect(answers).toHaveLength(1);
  answers[0]!.come();
  expect(await first).toBe(1);
  await soon();
  expect(answers).toHaveLength(2);
  answers[1]!.come();
  expect(await Promise.all(later)).toEqual([2, 2]);
});

test("an answer that fails is that of those who asked for it, not of the next", async () => {
  const { ask, answers } = question();
  const first = ask();
  await soon();
  const later = ask();
  answers[0]!.fail();
  await expect(first).rejects.toThrow("no 1");
  await soon();
  answers[1]!.come();
  expect(await later).toBe(2);
});
