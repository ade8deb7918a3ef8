/** Lets work of one name run one after the other, in the order in which it was asked for. */
export class Turns {
  /** What the next of each name waits for. */
  readonly #last = new Map<string, Promise<void>>();

  /** Runs work once what came before it under this name is over, however it ended. Throws what it throws. */
  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const mine = before.then(work);
    const over = mine.then(() => {}, () => {}).then(() => {
      if (this.#last.get(name) === over) this.#last.delete(name);
    });
    this.#last.set(name, over);
    return await mine;
  }
}
