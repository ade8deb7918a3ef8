import type { DeviceClass } from "./matrix_classes.ts";
import type { AccessLevel } from "./matrix_schema.ts";

/** The access from one end to another, and why. */
export interface CellAnswer {
  readonly access: AccessLevel;
  readonly reason: string;
}

/** Numbers answers, each once. */
export class Answers {
  readonly list: CellAnswer[] = [];
  readonly #known = new Map<string, number>();

  number(answer: CellAnswer): number {
    const key = `${answer.access} ${answer.reason}`;
    let known = this.#known.get(key);
    if (known === undefined) {
      known = this.list.push(answer) - 1;
      this.#known.set(key, known);
    }
    return known;
  }
}

/**
 * What was found for two ends is so for any two that rules treat like them: whose bases are the same,
 * and who have the same pair rules, and elements that name two ends, in common. So are answers about one end and a fixed other.
 */
export class KnownAnswers {
  readonly #between = new Map<string, number>();
  readonly #alone = new Map<string, number>();
  readonly #plain: Int32Array;
  readonly #bases: number;

  constructor(bases: number) {
    this.#bases = bases;
    this.#plain = new Int32Array(bases * bases);
  }

  /** The number of an answer; null where it has to be found out. */
  get(from: DeviceClass, to: DeviceClass, shared: string): number | null {
    const known = shared === ""
      ? this.#plain[from.pairBase * this.#bases + to.pairBase]! - 1
      : this.#between.get(`${from.pairBase} ${to.pairBase} ${shared}`) ?? -1;
    return known < 0 ? null : known;
  }

  set(from: DeviceClass, to: DeviceClass, { shared, answer }: {
    readonly shared: string;
    readonly answer: number;
  }): void {
    if (shared === "") this.#plain[from.pairBase * this.#bases + to.pairBase] = answer + 1;
    else this.#between.set(`${from.pairBase} ${to.pairBase} ${shared}`, answer);
  }

  alone(question: string, { base }: DeviceClass, ask: () => number): number {
    const key = `${base} ${question}`;
    let known = this.#alone.get(key);
    if (known === undefined) this.#alone.set(key, known = ask());
    return known;
  }
}
