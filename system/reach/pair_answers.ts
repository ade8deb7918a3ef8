import type { Desired } from "../core/kernel/desired.ts";
import { changedMembers } from "../core/config/memo.ts";
import type { Devices } from "../devices/schema.ts";
import { plainChanges } from "../network/reachability/plain_changes.ts";

/** What answers about pairs depend on. */
export interface PairState {
  readonly devices: Devices;
  readonly desired: Desired;
  /** Of {@link import("../core/engine/change.ts").Planner.traceBasis}. */
  readonly basis: object | null;
}

/**
 * Answers about addresses and other ends, other addresses among them, in one state. A state that differs from it in what plain sets say of
 * some addresses, as after a change of policies, takes over the answers about all others.
 */
export class PairAnswers<Answer> {
  readonly #state: PairState;
  /** By the address, then by the other end. */
  readonly #answers: Map<string, Map<string, Answer>>;

  private constructor(state: PairState, answers: Map<string, Map<string, Answer>>) {
    this.#state = state;
    this.#answers = answers;
  }

  /** `earlier`: answers of another state; stays as it is. */
  static of<Answer>(state: PairState, earlier: PairAnswers<Answer> | null): PairAnswers<Answer> {
    const changed = earlier === null ? null : changedAddresses(earlier.#state, state);
    if (earlier === null || changed === null) return new PairAnswers(state, new Map());
    const answers = new Map<string, Map<string, Answer>>();
    for (const [address, row] of earlier.#answers) {
      if (changed.has(address)) continue;
      const kept = new Map(row);
      for (const other of changed) kept.delete(other);
      answers.set(address, kept);
    }
    return new PairAnswers(state, answers);
  }

  /** The answer about an address and another end, which is found where it is not known. */
  get(address: string, other: string, find: () => Answer): Answer {
    let row = this.#answers.get(address);
    if (row === undefined) this.#answers.set(address, row = new Map());
    let answer = row.get(other);
    if (answer === undefined) row.set(other, answer = find());
    return answer;
  }
}

/** Keeps the answers of the last state, for the next one. */
export class PairMemory<Answer> {
  #last: PairAnswers<Answer> | null = null;

  /** The answers of this state, as far as they are known. */
  of(state: PairState): PairAnswers<Answer> {
    return this.#last = PairAnswers.of(state, this.#last);
  }
}

/**
 * Addresses of which two states say other things; null where anything else may differ, such as the name
 * of a device, which answers about others may hold.
 */
function changedAddresses(before: PairState, after: PairState): ReadonlySet<string> | null {
  if (before.basis !== after.basis) return null;
  const changes = plainChanges(before.desired, after.desired);
  const identities = changedMembers(before.devices, after.devices);
  if (changes === null || identities === null) return null;
  const addresses = changes.flatMap(({ gone, come }) =>
    [...gone, ...come].map(({ key }) => key[0]!)
  );
  for (const identity of identities) {
    const [old, device] = [before.devices[identity]!, after.devices[identity]!];
    if (old.Name !== device.Name || old.RecentIP !== device.RecentIP) return null;
    addresses.push(device.RecentIP);
  }
  return new Set(addresses);
}
