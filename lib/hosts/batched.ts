import { setTimeout as sleep } from "node:timers/promises";
import type { Host } from "./host.ts";

/** How long the first question waits for others: resources of one host ask within milliseconds of each other. */
const batchingMs = 10;

/**
 * Turns a function that asks a host several things with one command into one that asks a single thing. Questions that
 * arrive while a command runs go with the next: each command costs a shell and some programs, which a host with much to
 * start feels.
 *
 * @param ask answers in the order of the questions; when it fails, all of them fail with the same error
 */
export function batched<Question, Answer>(
  ask: (host: Host, questions: readonly Question[]) => Promise<readonly Answer[]>,
): (host: Host, question: Question) => Promise<Answer> {
  interface Waiting {
    readonly question: Question;
    readonly resolve: (answer: Answer) => void;
    readonly reject: (error: unknown) => void;
  }
  const queues = new WeakMap<Host, Waiting[]>();

  return (host, question) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(host);
      const waiting = { question, resolve, reject };
      if (queue !== undefined) return void queue.push(waiting);
      queues.set(host, [waiting]);
      void answerAll(host);
    });

  async function answerAll(host: Host): Promise<void> {
    for (;;) {
      await sleep(batchingMs);
      const asked = queues.get(host) ?? [];
      if (asked.length === 0) return void queues.delete(host);
      queues.set(host, []);
      try {
        const answers = await ask(
          host,
          asked.map(({ question }) => question),
        );
        asked.forEach(({ resolve }, i) => resolve(answers[i]!));
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
  }
}
