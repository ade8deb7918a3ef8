import assert from "node:assert/strict";
import fc from "fast-check";
import { QueryLog } from "../../../../system/dns/log/writer/query_log.ts";
import { RetentionClock } from "../../../../system/dns/log/retention/retention_clock.ts";
import { DEFAULT_LOG_CONFIG } from "../../../../system/dns/log/schema.ts";
import { SegmentTable } from "../../../../system/dns/log/writer/segment_table.ts";
import { withLogFile } from "../../../kit/dns/query_log.ts";
import { blockOf, query } from "../../../kit/dns/query.ts";

const HOUR = 3_600_000, DAY = 24 * HOUR, YEAR = 365 * DAY;
/** Milliseconds between two looks. */
const STEP = 4 * HOUR;
const ALL = { client: "", name: "", verdicts: [], before: null, limit: 500 } as const;

/** A log that keeps a week, or so many days, on a router whose clock may be set. */
class Router {
  readonly #path: string;
  #book!: QueryLog;
  /** What time it is, and how far the router's clock is from it. */
  #true = 1_800_000_000_000;
  #off = 0;
  #booted = 0;

  readonly #days: number;

  constructor(path: string, days: number) {
    this.#path = path;
    this.#days = days;
  }

  get wall(): number {
    return this.#true + this.#off;
  }

  async boot(): Promise<void> {
    this.#booted = this.#true;
    this.#book = await QueryLog.open(await SegmentTable.open(this.#path), {
      config: { ...DEFAULT_LOG_CONFIG, RetentionDays: this.#days },
      now: () => this.wall,
      steady: () => this.#true - this.#booted,
    });
  }

  /** Sets the clock wrong by so much; 0 sets it right. */
  async set(off: number): Promise<void> {
    this.#off = off;
    await this.#book.trim();
  }

  /** Runs for a time, with a question each half day, and looks for what is too old now and then. */
  async run(time: number): Promise<void> {
    for (let past = 0; past < time; past += STEP) {
      if (past % (12 * HOUR) === 0) await this.ask(`t${this.#true}.`);
      this.#true += STEP;
      await this.#book.trim();
    }
  }

  async ask(name: string): Promise<void> {
    await this.#book.write(blockOf([query({ at: this.wall, name })], this.#book.last));
    await this.#book.flush();
  }

  /** Is without power for a time. */
  async off(time: number, wrong = this.#off): Promise<void> {
    await this.#book.close();
    this.#true += time;
    this.#off = wrong;
    await this.boot();
  }

  async names(): Promise<readonly string[]> {
    return (await this.#book.search(ALL)).items.map(({ Q }) => Q[0]!.Name);
  }

  /** What is kept of the questions of {@link run}: their ages in days, the oldest first. */
  async ages(): Promise<readonly number[]> {
    const times = (await this.names()).filter((name) => /^t\d+\.$/.test(name));
    return times.map((name) => (this.#true - Number(name.slice(1, -1))) / DAY).toReversed();
  }

  async close(): Promise<void> {
    await this.#book.close();
  }
}

function withRouter(
  work: (router: Router) => Promise<void>,
  days = 7,
): () => Promise<void> {
  return () =>
    withLogFile(async (path) => {
      const router = new Router(path, days);
      await router.boot();
      await work(router);
      await router.close();
    });
}

Deno.test(
  "a clock that is a year ahead for some hours deletes nothing",
  withRouter(async (router) => {
    await router.run(5 * DAY);
    const before = await router.names();
    await router.set(YEAR);
    await router.run(20 * HOUR);
    assert.deepEqual((await router.names()).slice(-before.length), before);
    await router.set(0);
    await router.run(HOUR);
    assert.deepEqual((await router.names()).slice(-before.length), before);
    await router.run(8 * DAY);
    const ages = await router.ages();
    assert.ok(ages[0]! <= 7 && ages.length >= 13, `kept: ${ages}`);
  }),
);

Deno.test(
  "a router that starts a year ahead keeps its log until the clock is right",
  withRouter(async (router) => {
    await router.run(5 * DAY);
    const before = await router.names();
    await router.off(HOUR, YEAR);
    await router.run(12 * HOUR);
    await router.off(HOUR, YEAR);
    await router.run(12 * HOUR);
    await router.off(HOUR, 0);
    assert.deepEqual((await router.names()).slice(-before.length), before);
    await router.run(7 * DAY);
    assert.ok((await router.ages())[0]! <= 7);
  }),
);

Deno.test(
  "queries logged while the clock was far behind are kept, and deleted when they are a week old",
  withRouter(async (router) => {
    await router.run(2 * DAY);
    for (let start = 0; start < 3; start++) {
      await router.off(10 * HOUR, -50 * YEAR);
      await router.ask(`early${start}.`);
      await router.set(0);
      await router.run(12 * HOUR);
    }
    const names = await router.names();
    for (const name of ["early0.", "early1.", "early2."]) assert.ok(names.includes(name), name);
    assert.equal((await router.ages()).length, 7);
    await router.run(8 * DAY);
    assert.ok(!(await router.names()).some((name) => name.startsWith("early")));
  }),
);

Deno.test(
  "with a retention of a day, a clock that is half a day ahead deletes nothing early",
  withRouter(async (router) => {
    await router.run(2 * DAY);
    const before = (await router.ages()).length;
    await router.set(12 * HOUR);
    await router.run(4 * HOUR);
    assert.ok((await router.ages()).length >= before, "all but what is a day old");
    await router.set(0);
    await router.run(DAY);
    const ages = await router.ages();
    assert.ok(ages[0]! <= 1.2 && ages.length >= 2, `kept: ${ages}`);
  }, 1),
);

Deno.test(
  "the first queries of a router that starts without a clock are kept",
  withRouter(async (router) => {
    await router.set(-50 * YEAR);
    await router.off(0, -50 * YEAR);
    await router.ask("first.");
    await router.set(0);
    await router.run(2 * DAY);
    assert.ok((await router.names()).includes("first."));
    await router.run(8 * DAY);
    assert.ok(!(await router.names()).includes("first."));
  }),
);

Deno.test(
  "a clock that stays ahead is trusted after a day, and queries since are kept when it is set right",
  withRouter(async (router) => {
    await router.run(5 * DAY);
    await router.set(YEAR);
    await router.run(3 * DAY);
    const ages = await router.ages();
    assert.ok(ages.length >= 5 && ages[0]! <= 3, `kept: ${ages}`);
    const ahead = await router.names();
    await router.set(0);
    await router.run(3 * DAY);
    assert.deepEqual((await router.names()).slice(-ahead.length), ahead);
    await router.run(9 * DAY);
    const later = await router.ages();
    assert.ok(later[0]! <= 8 && later.length >= 13, `kept: ${later}`);
  }),
);

Deno.test(
  "after a month without power old queries are deleted once the clock is trusted, new ones are kept",
  withRouter(async (router) => {
    await router.run(2 * DAY);
    await router.off(30 * DAY);
    await router.run(20 * HOUR);
    await router.off(HOUR);
    assert.ok((await router.ages())[0]! > 30, "it is doubted");
    await router.run(2 * DAY);
    const ages = await router.ages();
    assert.ok(ages[0]! < 3 && ages.length >= 5, `kept: ${ages}`);
  }),
);

Deno.test("however the clock is set, no query is deleted hours early until that has held for a day", () => {
  const act = fc.record({
    run: fc.integer({ min: 1, max: 40 }),
    off: fc.constantFrom(0, 0, 0, -50 * YEAR, YEAR, -3 * DAY, 3 * DAY, HOUR / 2, 90 * 60_000),
  });
  fc.assert(fc.property(fc.array(act, { maxLength: 20 }), (acts) => {
    let now = 1_800_000_000_000, off = 0;
    const clock = new RetentionClock({ wall: () => now + off, steady: () => now, state: null });
    let wrongFor = 0;
    const written: { readonly at: number; stamp: number }[] = [];
    for (const { run, off: next } of acts) {
      off = next;
      for (let hour = 0; hour < run; hour++) {
        written.push({ at: now, stamp: clock.stamp });
        wrongFor = off === 0 ? 0 : wrongFor + 1;
        const look = clock.read();
        if (look.shift !== null) {
          for (const one of written) if (one.stamp >= look.shift.from) one.stamp += look.shift.by;
        }
        if (!look.isSuspect) {
          for (const one of written) one.stamp = Math.min(one.stamp, look.now);
        }
        // Until a wrong clock has been so for a day, nothing seems older than it is, but for
        // the steps of less than an hour that are believed at once.
        if (wrongFor > 23) return;
        for (const one of written) {
          const seems = look.now - one.stamp, is = now - one.at;
          assert.ok(seems <= is + 1.51 * HOUR, `${seems / DAY} instead of ${is / DAY} days`);
        }
        now += HOUR;
      }
    }
    off = 0;
    for (let hour = 0; hour < 30; hour++) {
      clock.read();
      now += HOUR;
    }
    assert.equal(clock.read().now, now, "a clock that is right is believed in the end");
  }));
});

Deno.test("segments of a version without ages are deleted in time", () =>
  withLogFile(async (path) => {
    const now = 1_800_000_000_000;
    const table = await SegmentTable.open(path);
    for (const days of [10, 6, 1]) {
      const at = now - days * DAY;
      const block = blockOf([query({ at, name: `d${days}.` })], at * 1000);
      await table.write(block, { isPartial: false, written: at });
    }
    await table.run("DROP TRIGGER block_gone; DROP TABLE age; DROP TABLE retention_clock");
    table.close();
    const options = { config: DEFAULT_LOG_CONFIG, now: () => now, steady: () => 0 };
    const book = await QueryLog.open(await SegmentTable.open(path), options);
    const names = (await book.search(ALL)).items.map(({ Q }) => Q[0]!.Name);
    assert.deepEqual(names, ["d1.", "d6."]);
    await book.close();
  }));
