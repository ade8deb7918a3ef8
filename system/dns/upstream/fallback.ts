import type { TellAnswered, UpstreamGroup, UpstreamState } from "./group.ts";
import type { Question } from "./upstream_query.ts";

/** Resolvers of which any may answer. */
export type Asked = Pick<UpstreamGroup, "ask" | "state" | "close" | "isDown" | "probe">;

/**
 * Resolvers in whose place others are asked while none of them answers. They are tried again with some
 * of the questions, and asked again as soon as one of them answers. What only gets no answer in time
 * goes to nobody else: a question lost on its way is no reason to tell another operator of it.
 */
export class Fallback implements Asked {
  readonly #first: Asked;
  readonly #then: Asked;

  constructor(first: Asked, then: Asked) {
    this.#first = first;
    this.#then = then;
  }

  /** Of those that are asked first. */
  get state(): readonly UpstreamState[] {
    return this.#first.state;
  }

  get isDown(): boolean {
    return this.#first.isDown && this.#then.isDown;
  }

  ask(question: Question, told: TellAnswered): void {
    if (this.#first.isDown) {
      if (this.#then.isDown) return this.#askBoth(question, told);
      this.#first.probe(question);
      return this.#then.ask(question, told);
    }
    this.#first.ask(question, (answered, error) => {
      if (answered !== null || !this.#first.isDown) return told(answered, error);
      this.#then.ask(question, told);
    });
  }

  probe(question: Question): void {
    this.#first.probe(question);
    this.#then.probe(question);
  }

  /** Where nobody answered lately, whoever answers first is heard. */
  #askBoth(question: Question, told: TellAnswered): void {
    let awaited = 2, isTold = false;
    const hear: TellAnswered = (answered, error) => {
      awaited--;
      if (isTold || (answered === null && awaited > 0)) return;
      isTold = true;
      told(answered, error);
    };
    this.#first.ask(question, hear);
    this.#then.ask(question, hear);
  }

  close(): void {
    this.#first.close();
    this.#then.close();
  }
}
