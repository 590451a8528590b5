/**
 * Makes one question of many that are asked at the same time: who asks while an answer is under way gets the next one, with
 * all who came meanwhile, so that no answer is older than its question.
 */
export function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  const begin = () => {
    next = undefined;
    const answer = ask();
    underWay = answer.catch(() => {});
    return answer;
  };
  return () => (next ??= underWay.then(begin));
}
