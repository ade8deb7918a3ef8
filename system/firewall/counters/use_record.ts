import { writeDurably } from "../../core/config/files.ts";
import { fileText } from "../../core/config/json.ts";
import { SharedWork } from "../../core/time/slices.ts";
import type { RuleCounter } from "./counters.ts";
import { noteUses, type RuleUse, RuleUses, useKey } from "./uses.ts";

/** Between samples without requests, and between writes. */
const SAMPLE_INTERVAL_MS = 600_000;

/** What the record of uses needs from outside. */
export interface UseRecordOptions {
  /** Where it is kept. */
  readonly path: string;
  /** What the kernel counted for each rule; ends early with the signal. */
  readonly count: (signal: AbortSignal) => Promise<readonly RuleCounter[]>;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Called with a sample or a write that failed; the next one tries again. */
  readonly failed: (error: unknown) => void;
  /** False: samples are taken only on request. */
  readonly live: boolean;
}

/** A counter with since when it is looked at, and when it was last found used. */
export type UsedCounter =
  & RuleCounter
  & Omit<{ [K in keyof RuleUse]: RuleUse[K] | null }, "packets">;

/** When rules were used, over restarts and reloads of the rules: counters alone start at zero then. */
export class UseRecord {
  readonly #options: UseRecordOptions;
  #uses: RuleUses;
  #kept: RuleUses;
  #written: number;
  #writing: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setInterval> | null = null;
  readonly #sampling = new SharedWork<readonly UsedCounter[]>();

  private constructor(options: UseRecordOptions, uses: RuleUses) {
    this.#options = options;
    this.#uses = this.#kept = uses;
    this.#written = options.now();
    if (!options.live) return;
    this.#timer = setInterval(() => void this.sample().catch(options.failed), SAMPLE_INTERVAL_MS);
  }

  /** Reads the file; one that is absent, broken or of another form counts as empty. */
  static async open(options: UseRecordOptions): Promise<UseRecord> {
    let uses: RuleUses = {};
    try {
      uses = RuleUses.parse(JSON.parse(await Deno.readTextFile(options.path)));
    } catch {
      // None yet: uses are known from now on.
    }
    return new UseRecord(options, uses);
  }

  /**
   * Counts, notes what was used, and answers both. Callers of the same moment share the result, and it
   * ends early once all of them are gone. Throws what counting throws.
   */
  sample(signal?: AbortSignal): Promise<readonly UsedCounter[]> {
    const work = (ending: AbortSignal) => this.#sample(ending);
    return this.#sampling.run(this, "sample", { signal, work });
  }

  async #sample(ending: AbortSignal): Promise<readonly UsedCounter[]> {
    const { count, now } = this.#options;
    const counters = await count(ending);
    this.#uses = noteUses(this.#uses, counters, now());
    if (now() - this.#written >= SAMPLE_INTERVAL_MS) void this.#keep();
    return counters.map((counter) => {
      const use = this.#uses[useKey(counter)];
      return { ...counter, since: use?.since ?? null, lastUsed: use?.lastUsed ?? null };
    });
  }

  /** Writes what is new and stops sampling. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#keep();
  }

  #keep(): Promise<void> {
    this.#written = this.#options.now();
    if (this.#uses === this.#kept) return this.#writing;
    const uses = this.#kept = this.#uses;
    this.#writing = this.#writing
      .then(() => writeDurably(this.#options.path, fileText(uses), "uses"))
      .catch(this.#options.failed);
    return this.#writing;
  }
}
