/** Work that is done one after another, in the order in which it was asked for. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Does this once all before it has been done, or has failed. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
