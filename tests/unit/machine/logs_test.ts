import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import {
  childLine,
  eachLine,
  MAX_LINE_LENGTH,
  parseLogLine,
  terminalLine,
} from "../../../system/core/process/child_lines.ts";
import { LineOutput } from "../../../system/core/log/line_output.ts";
import { LogFiles, logTexts } from "../../../system/core/log/log_files.ts";
import { type JournalOptions, journalRecords } from "../../../system/host/tools/journal.ts";
import { journalSource } from "../../../system/machine/logs/journal_source.ts";
import { journalEntry, matchesQuery, ownEntries } from "../../../system/machine/logs/entries.ts";
import { ownSource } from "../../../system/machine/logs/own_source.ts";
import { type LogSource, readLogs } from "../../../system/machine/logs/read.ts";
import { type LogEntry, LogQuery } from "../../../system/machine/logs/schema.ts";
import { tolerantSource } from "../../../system/machine/logs/tolerant_source.ts";
import { Problem } from "../../../system/core/errors/problem.ts";
import { inFolder } from "../../kit/process.ts";

const SAID = { process: "api", at: new Date("2026-01-02T03:04:05.678Z") };

function line(message: string, time = "2026-01-02T03:04:05.678Z", more = {}): string {
  return JSON.stringify({
    ...more,
    time,
    level: "info",
    process: "api",
    event: "test.said",
    message,
  });
}

function entry(at: number, fields: Partial<LogEntry> = {}): LogEntry {
  return {
    CONTAINER_NAME: "api",
    MESSAGE: `m${at}`,
    __REALTIME_TIMESTAMP: at,
    PRIORITY: "6",
    _TRANSPORT: "sluice",
    ...fields,
  };
}

function sourceOf(...times: readonly number[]): LogSource {
  return {
    async *newestFirst(before) {
      for (const at of times) if (before === null || at < before) yield entry(await at);
    },
  };
}

const all = LogQuery.parse({});

Deno.test("a child's JSON log line is kept, any other output is wrapped in one", () => {
  assert.equal(childLine(line("Hello"), SAID), `${line("Hello")}\n`);
  const wrapped = parseLogLine(childLine("error: Uncaught (in promise)", SAID).trim());
  assert.deepEqual(wrapped, {
    time: "2026-01-02T03:04:05.678Z",
    level: "warn",
    process: "api",
    event: "process.output",
    message: "error: Uncaught (in promise)",
  });
  for (
    const odd of [
      "[]",
      "null",
      '{"time":"x","level":"info","process":"a","event":"a.b","message":"c"}',
      '{"time":"2026-01-02T03:04:05.678Z","level":"info","process":"a","event":"a.b"}',
      "{",
    ]
  ) {
    assert.equal(parseLogLine(childLine(odd, SAID).trim())?.message, odd);
  }
});

Deno.test("a child's line is logged as one line, whatever it contains", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    const kept = childLine(text.replaceAll("\n", ""), SAID);
    assert.equal(kept.indexOf("\n"), kept.length - 1);
    assert.equal(terminalLine(kept.trimEnd()).match(/\n/g)?.length, 1);
  }));
});

Deno.test("an endless line is logged in pieces", async () => {
  const bytes = new TextEncoder().encode(`${"x".repeat(MAX_LINE_LENGTH * 2 + 5)}\nnext`);
  const lines: string[] = [];
  await eachLine(new Blob([bytes]).stream(), (text) => lines.push(text));
  assert.equal(lines.join("").length, MAX_LINE_LENGTH * 2 + 9);
  assert.equal(lines.at(-1), "next");
});

Deno.test("log files are bounded, dropping the oldest lines", async () => {
  await inFolder(async (folder) => {
    const path = join(folder, "log.jsonl");
    using files = new LogFiles(path, { size: 1000, count: 3 });
    for (let n = 0; n < 200; n++) files.append(`${line(`Line ${n}`)}\n`);
    const texts = await Array.fromAsync(logTexts(path));
    assert.ok(texts.length <= 3);
    assert.ok(texts.join("").length < 3400);
    assert.ok(texts.join("").includes("Line 199"));
    assert.ok(!texts.join("").includes("Line 0"));
  });
});

Deno.test("a line that cannot be written is dropped, and the next one tried", async () => {
  await inFolder(async (folder) => {
    const path = join(folder, "gone/log.jsonl");
    using files = new LogFiles(path);
    files.append("lost\n");
    await Deno.mkdir(join(folder, "gone"));
    files.append("kept\n");
    assert.equal(await Deno.readTextFile(path), "kept\n");
  });
});

Deno.test("our log files are read newest first, lines of one millisecond in order", async () => {
  await inFolder(async (folder) => {
    const path = join(folder, "log.jsonl");
    await Deno.writeTextFile(`${path}.1`, `${line("a", "2026-01-01T00:00:00.000Z")}\n`);
    const same = "2026-01-02T00:00:00.001Z";
    await Deno.writeTextFile(path, `${line("b", same)}\n${line("c", same)}\nno json\n`);
    const found = await readLogs([ownSource(path)], all);
    assert.deepEqual(found.map(({ MESSAGE }) => MESSAGE), ["c", "b", "a"]);
    assert.equal(new Set(found.map((one) => one.__REALTIME_TIMESTAMP)).size, 3);
  });
});

Deno.test("fields of a log line follow its message", () => {
  const [first] = ownEntries([line("Listening", undefined, { port: 80, name: "a b" })]);
  assert.equal(first?.MESSAGE, "Listening port=80 name=a b");
});

Deno.test("a journal record is an entry: bytes become text, our own lines are parsed", () => {
  const base = { __REALTIME_TIMESTAMP: "1700000000000001", _TRANSPORT: "stdout", PRIORITY: "3" };
  assert.deepEqual(
    journalEntry({ ...base, MESSAGE: [104, 195, 169], _SYSTEMD_UNIT: "x.service" }),
    {
      CONTAINER_NAME: "x",
      MESSAGE: "hé",
      __REALTIME_TIMESTAMP: 1700000000000001,
      PRIORITY: "3",
      _TRANSPORT: "stdout",
    },
  );
  const own = journalEntry({
    ...base,
    MESSAGE: line("Hello"),
    _SYSTEMD_UNIT: "sluice-api.service",
  });
  assert.deepEqual([own?.CONTAINER_NAME, own?.MESSAGE, own?.PRIORITY], ["api", "Hello", "6"]);
  assert.equal(journalEntry({ ...base, MESSAGE: null, CONTAINER_NAME: "dns" })?.MESSAGE, "");
  for (const odd of [null, [], 1, {}, { __REALTIME_TIMESTAMP: "soon" }]) {
    assert.equal(journalEntry(odd), null);
  }
});

Deno.test("long messages are shown, huge ones truncated", () => {
  const shown = (MESSAGE: unknown) =>
    journalEntry({ __REALTIME_TIMESTAMP: "5", MESSAGE, _COMM: "x" })!.MESSAGE;
  const long = "y".repeat(10_000);
  assert.equal(shown(long), long);
  assert.ok(shown("z".repeat(1_000_000)).length < 20_000);
  assert.ok(shown(Array<number>(300_000).fill(65)).length < 20_000);
  assert.equal(shown(null), "");
});

Deno.test("a log filter is plain text, never a pattern", () => {
  const wanted = (text: string, MESSAGE: string) => matchesQuery(entry(1, { MESSAGE }), { text });
  assert.ok(wanted(".*", "a .* b"));
  assert.ok(!wanted(".*", "anything"));
  assert.ok(wanted("(?i)[", "x (?I)[ y"), "case does not matter");
  assert.ok(!wanted("^a", "abc"));
});

Deno.test("entries are filtered by level, process and time", () => {
  const warn = entry(5, { PRIORITY: "4" });
  assert.ok(matchesQuery(warn, { level: "info" }));
  assert.ok(!matchesQuery(warn, { level: "error" }));
  assert.ok(!matchesQuery(warn, { process: "ap" }));
  assert.deepEqual([matchesQuery(warn, { before: 5 }), matchesQuery(warn, { since: 5 })], [
    false,
    false,
  ]);
});

Deno.test("log pages have no gaps and no duplicates", async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(fc.nat(20), { maxLength: 40 }),
    fc.array(fc.nat(20), { maxLength: 40 }),
    fc.integer({ min: 1, max: 7 }),
    async (one, other, limit) => {
      const down = (times: number[]) => times.toSorted((a, b) => b - a);
      const sources = [sourceOf(...down(one)), sourceOf(...down(other))];
      const seen: number[] = [];
      let before: number | undefined;
      for (;;) {
        const page = await readLogs(sources, {
          ...all,
          limit,
          ...(before === undefined ? {} : { before }),
        });
        if (page.length === 0) break;
        seen.push(...page.map((found) => found.__REALTIME_TIMESTAMP));
        before = page.at(-1)!.__REALTIME_TIMESTAMP;
      }
      assert.deepEqual(seen, down([...one, ...other]));
    },
  ));
});

Deno.test("a filter without matches ends", async () => {
  const endless: LogSource = {
    async *newestFirst() {
      for (let at = 1e15;; at--) yield entry(await at);
    },
  };
  assert.deepEqual(await readLogs([endless], { ...all, text: "never" }), []);
});

/** A program in the place of journalctl; its arguments are `$@`. */
function instead(script: string, seconds = 5): JournalOptions {
  return {
    seconds,
    spawn: ({ args = [], ...how }) =>
      new Deno.Command("/bin/sh", { ...how, args: ["-c", script, "journalctl", ...args] }).spawn(),
  };
}

Deno.test("the journal is queried by time without a shell, skipping invalid records", async () => {
  const script = `printf '%s\\n' '{"__REALTIME_TIMESTAMP":"5","MESSAGE":"a"}' garbage '{' '[]' \
    '{"__REALTIME_TIMESTAMP":"4","MESSAGE":"b"}'; printf '%s' "$*" >&2`;
  const records = await Array.fromAsync(journalRecords(1_500_000, instead(script)));
  assert.equal(records.length, 3);
  const source = journalSource((before) => journalRecords(before, instead(script)));
  const entries = await readLogs([source], { ...all, before: 5 });
  assert.deepEqual(entries.map(({ MESSAGE }) => MESSAGE), ["b"]);
  const whole = instead('printf %s "$*" | grep -q -- "--all" && exit 4');
  await assert.rejects(Array.fromAsync(journalRecords(null, whole)), /status 4/);
  const failing = instead('printf %s "$*" | grep -q -- "--until=@2" && exit 3');
  await assert.rejects(Array.fromAsync(journalRecords(1_500_000, failing)), /status 3/);
});

Deno.test("a failing journal reports its error, a hanging or endless one is killed", async () => {
  const failing = instead("echo 'No journal files were found' >&2; exit 1");
  await assert.rejects(Array.fromAsync(journalRecords(null, failing)), {
    status: 502,
    message: "journalctl: No journal files were found",
  });
  const hanging = instead("exec sleep 60", 0.1);
  await assert.rejects(Array.fromAsync(journalRecords(null, hanging)), /did not end within/);
  const endless = instead(`exec yes '{"__REALTIME_TIMESTAMP":"5"}'`);
  let count = 0;
  for await (const _ of journalRecords(null, endless)) if (++count === 100) break;
  assert.equal(count, 100);
  const long = instead("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo '{}'");
  assert.equal((await Array.fromAsync(journalRecords(null, long))).length, 1);
});

Deno.test("a log reader that stalls does not block others, and learns what it missed", async () => {
  let written = "";
  let gate = Promise.withResolvers<void>();
  const output = new LineOutput(async (bytes) => {
    await gate.promise;
    written += new TextDecoder().decode(bytes.subarray(0, 7));
    return Math.min(7, bytes.length);
  }, 100);
  for (let n = 0; n < 50; n++) output.add(`line ${n}\n`);
  gate.resolve();
  await output.flush();
  output.add("after\n");
  await output.flush();
  const lines = written.trimEnd().split("\n");
  assert.equal(lines[0], "line 0");
  assert.match(lines.at(-2) ?? "", /^\d+ lines were left out here/);
  assert.equal(lines.at(-1), "after");
  gate = Promise.withResolvers();
  gate.reject(new Deno.errors.BrokenPipe());
  output.add("to nobody\n");
  await output.flush();
});

Deno.test("a log line keeps its time, however many lines follow", async () => {
  await inFolder(async (folder) => {
    const path = join(folder, "log.jsonl");
    const time = "2026-01-02T00:00:00.001Z";
    const seen = new Map<string, number>();
    for (let count = 1; count < 900; count += 113) {
      const text = Array.from({ length: count }, (_, n) => `${line(`l${n}`, time)}\n`).join("");
      await Deno.writeTextFile(path, text);
      const found = await readLogs([ownSource(path)], all);
      assert.equal(found.length, count);
      assert.deepEqual(found.map(({ MESSAGE }) => MESSAGE)[0], `l${count - 1}`);
      const times = found.map((one) => one.__REALTIME_TIMESTAMP);
      assert.deepEqual(times, times.toSorted((a, b) => b - a), "newest first");
      for (const { MESSAGE, __REALTIME_TIMESTAMP: at } of found) {
        assert.equal(seen.get(MESSAGE) ?? at, at, MESSAGE);
        seen.set(MESSAGE, at);
      }
    }
  });
});

Deno.test("more than a thousand lines of one millisecond are still newest first", async () => {
  await inFolder(async (folder) => {
    const path = join(folder, "log.jsonl");
    const lines = Array.from(
      { length: 1300 },
      (_, n) => `${line(`l${n}`, SAID.at.toISOString())}\n`,
    );
    await Deno.writeTextFile(path, lines.join(""));
    const found = await readLogs([ownSource(path)], { ...all, limit: 2000 });
    assert.deepEqual(
      found.map(({ MESSAGE }) => MESSAGE),
      Array.from({ length: 1300 }, (_, n) => `l${1299 - n}`),
    );
  });
});

Deno.test("pages of our log files are complete, however many lines share a time", async () => {
  await inFolder(async (folder) => {
    const path = join(folder, "log.jsonl");
    const source = ownSource(path);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 400 })), { maxLength: 6 }),
        fc.integer({ min: 50, max: 300 }),
        async (bursts, limit) => {
          let at = 1_700_000_000_000, number = 0;
          const text: string[] = [];
          for (const [pause, count] of bursts) {
            at += pause;
            for (let n = 0; n < count; n++) {
              text.push(`${line(`l${number++}`, new Date(at).toISOString())}\n`);
            }
          }
          await Deno.writeTextFile(path, text.join(""));
          const seen: string[] = [];
          let before: number | undefined;
          for (;;) {
            const page = await readLogs([source], {
              ...all,
              limit,
              ...(before === undefined ? {} : { before }),
            });
            if (page.length === 0) break;
            seen.push(...page.map(({ MESSAGE }) => MESSAGE));
            before = page.at(-1)!.__REALTIME_TIMESTAMP;
          }
          assert.deepEqual(seen, Array.from({ length: number }, (_, n) => `l${number - 1 - n}`));
        },
      ),
      { numRuns: 30 },
    );
  });
});

Deno.test("a failing journal does not hide our own log, and is reported once", async () => {
  let given: readonly number[] = [], fails = true, now = 1000;
  const journal = tolerantSource(() =>
    Promise.resolve({
      async *newestFirst(before) {
        yield* sourceOf(...given).newestFirst(before);
        if (fails) throw new Problem(502, "journalctl: no permission");
      },
    }), { name: "The journal", now: () => now });
  const read = async (query: Partial<LogQuery> = {}) =>
    (await readLogs([journal, sourceOf(999_999, 5)], { ...all, ...query })).map((
      { MESSAGE, __REALTIME_TIMESTAMP },
    ) => [__REALTIME_TIMESTAMP, MESSAGE]);
  const trouble = "The journal cannot be read: journalctl: no permission";
  assert.deepEqual(await read(), [[1_000_000, trouble], [999_999, "m999999"], [5, "m5"]]);
  now = 2000;
  assert.deepEqual(await read({ since: 1_000_000 }), [], "who asks for news got it");
  assert.deepEqual(await read({ before: 1_000_000 }), [[999_999, "m999999"], [5, "m5"]]);
  given = [1_500_000, 7];
  assert.deepEqual((await read()).map(([at]) => at), [1_500_000, 999_999, 7, 7, 5]);
  fails = false;
  assert.deepEqual((await read()).map(([at]) => at), [1_500_000, 999_999, 7, 5]);
  given = [];
  fails = true;
  assert.deepEqual((await read())[0], [2_000_000, trouble], "it fails anew");
});
