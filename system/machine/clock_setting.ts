import type { Attempts } from "../access/attempts.ts";
import type { Bus } from "../core/events/bus.ts";
import type { NoticeBoard } from "../core/events/notice.ts";
import { conflict } from "../core/errors/problem.ts";
import type { Log } from "../core/log/log.ts";
import type { Machine } from "../core/machine/machine.ts";
import { timeText } from "../core/time/text.ts";
import { checkClock } from "./clock_rules.ts";

/** How often a user may set the clock, and within how many milliseconds. */
const ATTEMPT_RULE = { most: 3, window: 10 * 60_000 } as const;
/** Milliseconds within which a second factor must be proven, or the clock goes back. */
export const TRIAL_MS = 10 * 60_000;
/** A clock that differs by more from what it was set to was set by somebody else meanwhile. */
const TOLERANCE_MS = 2 * 60_000;

const NOTICE = "clock-set";

/** Options of {@link ClockSetting}. Times are milliseconds. */
export interface ClockSettingOptions {
  readonly machine: () => Pick<Machine, "setClock" | "isClockSynchronised">;
  readonly attempts: Pick<Attempts, "check" | "add">;
  /** The wall clock. */
  readonly wall: () => number;
  /** A monotonic clock. */
  readonly steady: () => number;
  /** The time that was counted, and whether there is one. */
  readonly counted: () => number;
  readonly isProven: () => boolean;
  /** Codes of this time and before are worth nothing from now on. */
  readonly endCodes: (until: number) => void;
  readonly notices: NoticeBoard;
  readonly bus: Pick<Bus, "publish">;
  readonly log: Log;
  /** Runs once later; the answer takes that back. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
}

/** Who sets the clock. */
export interface ClockSetter {
  readonly user: string;
  readonly source: string;
  /** They have a second factor, and have not proven it. */
  readonly byPassword: boolean;
}

/** The clock before a password alone set it. */
interface Trial {
  readonly wall: number;
  readonly steady: number;
  /** What it was set to, at which time of the monotonic clock. */
  readonly to: number;
  readonly since: number;
  readonly cancel: () => void;
}

/**
 * Sets the system clock, so that somebody whose one-time codes fail by a wrong clock gets in again. What a
 * password alone sets is a trial: without a proof of the second factor it is taken back.
 */
export class ClockSetting {
  readonly #options: ClockSettingOptions;
  #trial: Trial | null = null;

  constructor(options: ClockSettingOptions) {
    this.#options = options;
  }

  /**
   * Sets it; answers until when, on the new clock, a second factor must be proven, or null. Throws
   * Problem 400, 409, 429, 502, 503.
   */
  async set(to: number, setter: ClockSetter): Promise<number | null> {
    const { machine, attempts, wall, steady, counted, isProven, endCodes } = this.#options;
    const { byPassword, user } = setter;
    const key = `clock ${user}`;
    attempts.check(key, ATTEMPT_RULE, "The clock was set too often; try again in {wait} s");
    await attempts.add(key, ATTEMPT_RULE);
    const known = counted();
    checkClock(to, { counted: known, isProven: isProven(), byPassword });
    if (await machine().isClockSynchronised()) {
      throw conflict("A time server keeps this clock right; it cannot be set by hand");
    }
    const before = { wall: wall(), steady: steady() };
    await machine().setClock(to);
    if (byPassword && to < known) endCodes(known);
    this.#begin(before, { to, byPassword });
    await this.#report(before.wall, to, setter);
    const trial = this.#trial as Trial | null;
    return trial === null ? null : to + trial.steady + TRIAL_MS - trial.since;
  }

  /** A second factor was proven: the clock stays as it was set. */
  async keep(): Promise<void> {
    if (this.#trial === null) return;
    this.#trial.cancel();
    this.#trial = null;
    this.#options.log.info(
      "clock.kept",
      "A second factor was proven: the clock stays as it was set",
    );
    await this.#options.notices.settle(NOTICE);
  }

  /** Takes a trial back before the process ends. */
  async close(): Promise<void> {
    await this.#takeBack();
  }

  #begin(
    before: { readonly wall: number; readonly steady: number },
    { to, byPassword }: { readonly to: number; readonly byPassword: boolean },
  ): void {
    const running = this.#trial;
    running?.cancel();
    this.#trial = null;
    if (!byPassword) return;
    // The first of several is what is taken back, and none prolongs it.
    const { wall, steady } = running ?? before;
    const left = Math.max(0, steady + TRIAL_MS - before.steady);
    const cancel = this.#options.after(left, () => void this.#takeBack());
    this.#trial = { wall, steady, to, since: before.steady, cancel };
  }

  async #takeBack(): Promise<void> {
    const trial = this.#trial;
    if (trial === null) return;
    trial.cancel();
    this.#trial = null;
    const { machine, wall, steady, log, notices } = this.#options;
    const now = steady();
    if (Math.abs(wall() - (trial.to + now - trial.since)) > TOLERANCE_MS) return;
    const back = trial.wall + now - trial.steady;
    try {
      await machine().setClock(Math.round(back));
      // The trusted clock sees that the other time did not last.
      this.#options.counted();
      log.warn("clock.taken_back", "Nobody proved a second factor: the clock was set back");
      await notices.open(
        NOTICE,
        `The clock, which somebody with a password had set, was set back to ${timeText(back)}: ` +
          "nobody proved a second factor",
      );
    } catch (error) {
      log.error("clock.not_taken_back", "The clock could not be set back", { error });
    }
  }

  async #report(
    from: number,
    to: number,
    { user, source, byPassword }: ClockSetter,
  ): Promise<void> {
    const { bus, log, notices } = this.#options;
    const text = `${user} set the clock from ${timeText(from)} to ${timeText(to)}`;
    log.warn("clock.set", text, { user, source });
    bus.publish("system:time:set", { by: user, ip: source, from, to });
    if (!byPassword) return await notices.settle(NOTICE);
    await notices.open(
      NOTICE,
      `${text}, by password alone, from ${source}. Unless a second factor is proven within ten ` +
        "minutes it is set back",
    );
  }
}
