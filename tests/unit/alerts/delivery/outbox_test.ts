import assert from "node:assert/strict";
import * as fc from "fast-check";
import { AlertChannel } from "../../../../system/alerts/channels/schema.ts";
import { ChannelMessage } from "../../../../system/alerts/delivery/message.ts";
import {
  attemptId,
  BACK_OFF_MS,
  backOff,
  channelStates,
  dueEntries,
  HOUR_MS,
  MAX_AGE_MS,
  MAX_RESPONSES,
  MAX_WAITING,
  type Outcome,
  prunedOutbox,
  queueAlert,
  quietMinutes,
  REPEAT_MS,
  settleAttempt,
  takes,
} from "../../../../system/alerts/delivery/outbox_rules.ts";
import { EMPTY_OUTBOX, Outbox } from "../../../../system/alerts/delivery/outbox_schema.ts";

const NOW = 1_790_000_000_000;

function channel(fields: Partial<AlertChannel> = {}): AlertChannel {
  return AlertChannel.parse({
    id: "7e2b64a1-27a4-4b55-9c3f-1f0a52c1d0c1",
    ...{ name: "hook", kind: "webhook", url: "https://a.example/x", secret: "s".repeat(16) },
    ...fields,
  });
}

let count = 0;
function message(fields: Partial<ChannelMessage> = {}): ChannelMessage {
  return ChannelMessage.parse({
    id: `00000000-0000-4000-8000-${String(++count).padStart(12, "0")}`,
    ...{ at: NOW, type: "warning", title: "t", text: "x", topic: "wan:down", source: "rule" },
    ...{ rule: "r", repeated: 0, decides: "", event: null, ...fields },
  });
}

function queued(outbox: Outbox, now: number, options: {
  readonly subject?: string;
  readonly to?: readonly AlertChannel[];
  readonly minute?: number;
  readonly message?: Partial<ChannelMessage>;
} = {}): Outbox {
  const { subject = String(count), to = [channel()], minute = 720 } = options;
  return queueAlert(outbox, { message: message(options.message), subject }, {
    ...{ channels: to, now, minute },
  });
}

function settled(outbox: Outbox, kind: Outcome["kind"], now: number, random = 1): Outbox {
  const [first] = dueEntries(outbox, now);
  assert.ok(first, "something is due");
  return settleAttempt(outbox, { id: attemptId(first), outcome: { kind, message: kind } }, {
    ...{ now, random },
  });
}

const stateOf = (outbox: Outbox, one = channel()) => channelStates(outbox, [one])[0]!;

Deno.test("a channel takes the types and sources that it names, and all where it names none", () => {
  const one = { type: "warning", source: "new-device" } as const;
  assert.ok(takes(channel(), one));
  assert.ok(!takes(channel({ enabled: false }), one));
  assert.ok(!takes(channel({ types: ["error"] }), one));
  assert.ok(takes(channel({ types: ["error", "warning"], only: ["new-device"] }), one));
  assert.ok(!takes(channel({ only: ["another"] }), one));
});

Deno.test("the same alert within the window is counted, and the next one says how often", () => {
  let outbox = queued(EMPTY_OUTBOX, NOW, { subject: "a" });
  outbox = queued(outbox, NOW + 1000, { subject: "a" });
  outbox = queued(outbox, NOW + REPEAT_MS - 1, { subject: "a" });
  outbox = queued(outbox, NOW + 2000, { subject: "b" });
  assert.deepEqual([stateOf(outbox).waiting, stateOf(outbox).repeated], [2, 2]);
  outbox = queued(outbox, NOW + REPEAT_MS, { subject: "a" });
  assert.equal(outbox.entries.at(-1)!.message.repeated, 2);
  assert.equal(outbox.entries[0]!.message.repeated, 0);
});

Deno.test("no more messages than a channel allows are queued in any hour, and none is uncounted", () => {
  fc.assert(fc.property(
    fc.integer({ min: 1, max: 8 }),
    fc.array(fc.integer({ min: 0, max: HOUR_MS / 4 }), { maxLength: 60 }),
    (perHour, gaps) => {
      const one = channel({ perHour });
      const times: number[] = [];
      let outbox = EMPTY_OUTBOX, now = NOW;
      for (const gap of gaps) {
        now += gap;
        const before = outbox.entries.length;
        outbox = queued(outbox, now, { to: [one], subject: `s${times.length} ${now} ${gap}` });
        if (outbox.entries.length > before) times.push(now);
      }
      for (const time of times) {
        const inHour = times.filter((other) => other > time - HOUR_MS && other <= time);
        assert.ok(inHour.length <= perHour);
      }
      const { held, repeated, waiting } = stateOf(outbox, one);
      assert.equal(held + repeated + waiting, gaps.length);
    },
  ));
});

Deno.test("the wait after failures doubles up to an hour, and is never less than half of it", () => {
  fc.assert(fc.property(
    fc.integer({ min: 1, max: 400 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    (failures, random) => {
      const full = Math.min(BACK_OFF_MS.first * 2 ** (failures - 1), BACK_OFF_MS.longest);
      const wait = backOff(failures, random);
      assert.ok(wait >= full / 2 - 1 && wait <= full);
    },
  ));
});

Deno.test("a receiver that is away gets the message later, and a channel waits as a whole", () => {
  let outbox = queued(queued(EMPTY_OUTBOX, NOW), NOW);
  outbox = settled(outbox, "away", NOW);
  assert.deepEqual(dueEntries(outbox, NOW), []);
  assert.equal(dueEntries(outbox, NOW + BACK_OFF_MS.first).length, 1);
  outbox = settled(outbox, "sent", NOW + BACK_OFF_MS.first);
  outbox = settled(outbox, "sent", NOW + BACK_OFF_MS.first);
  const { waiting, lost, ok, sentAt } = stateOf(outbox);
  assert.deepEqual([waiting, lost, ok, sentAt], [0, 0, true, NOW + BACK_OFF_MS.first]);
});

Deno.test("without the Internet a message waits for a day, whatever the number of attempts", () => {
  let outbox = queued(EMPTY_OUTBOX, NOW), now = NOW;
  for (let n = 0; n < 3 * MAX_RESPONSES; n++, now += BACK_OFF_MS.longest) {
    if (now - NOW >= MAX_AGE_MS) break;
    outbox = settled(outbox, "away", now);
  }
  assert.equal(stateOf(outbox).waiting, 1);
  outbox = prunedOutbox(outbox, { channels: [channel()], now: NOW + MAX_AGE_MS });
  assert.deepEqual([stateOf(outbox).waiting, stateOf(outbox).lost], [0, 1]);
});

Deno.test("a receiver that refuses ends a message at once, one that is busy after some attempts", () => {
  const refused = settled(queued(EMPTY_OUTBOX, NOW), "refused", NOW);
  assert.deepEqual([stateOf(refused).waiting, stateOf(refused).lost], [0, 1]);
  let outbox = queued(EMPTY_OUTBOX, NOW), now = NOW;
  for (let n = 1; n < MAX_RESPONSES; n++, now += BACK_OFF_MS.longest) {
    outbox = settled(outbox, "busy", now);
    assert.equal(stateOf(outbox).waiting, 1);
  }
  outbox = settled(outbox, "busy", now);
  assert.deepEqual([stateOf(outbox).waiting, stateOf(outbox).lost], [0, 1]);
});

Deno.test("what is reported twice, or about nothing that waits, changes nothing", () => {
  const outbox = queued(EMPTY_OUTBOX, NOW);
  const report = {
    id: attemptId(outbox.entries[0]!),
    outcome: { kind: "away", message: "" } as const,
  };
  const once = settleAttempt(outbox, report, { now: NOW, random: 0 });
  assert.equal(settleAttempt(once, report, { now: NOW, random: 0 }), once);
  assert.equal(
    settleAttempt(outbox, { ...report, id: "x" }, { now: NOW, random: 0 }),
    outbox,
  );
});

Deno.test("the outbox is bounded: the oldest gives way and is counted", () => {
  const one = channel({ perHour: 600 });
  let outbox = EMPTY_OUTBOX;
  for (let n = 0; n < MAX_WAITING + 5; n++) {
    outbox = queued(outbox, NOW + n, { to: [one], subject: `s${n}` });
  }
  assert.deepEqual([stateOf(outbox, one).waiting, stateOf(outbox, one).lost], [MAX_WAITING, 5]);
  assert.deepEqual(Outbox.parse(JSON.parse(JSON.stringify(outbox))), outbox, "as in its file");
});

Deno.test("channels do not wait for each other, and what waits goes with its channel", () => {
  const other = channel({ id: "7e2b64a1-27a4-4b55-9c3f-1f0a52c1d0c2" });
  let outbox = queued(EMPTY_OUTBOX, NOW, { to: [channel(), other] });
  assert.equal(dueEntries(outbox, NOW).length, 2);
  outbox = settled(outbox, "away", NOW);
  assert.deepEqual(dueEntries(outbox, NOW).map((one) => one.channel), [other.id]);
  outbox = prunedOutbox(outbox, { channels: [channel(), { ...other, enabled: false }], now: NOW });
  assert.deepEqual(outbox.entries.map((one) => one.channel), [channel().id]);
  outbox = prunedOutbox(outbox, { channels: [], now: NOW });
  assert.deepEqual(outbox, EMPTY_OUTBOX);
});

Deno.test("in quiet hours only errors go out, the rest at their end", () => {
  const quiet = { quietFrom: "22:00", quietTo: "06:30" };
  for (
    const [minute, wait] of [[1319, 0], [1320, 510], [1439, 391], [0, 390], [389, 1], [
      390,
      0,
    ]] as const
  ) assert.equal(quietMinutes(quiet, minute), wait);
  assert.equal(quietMinutes({ quietFrom: "", quietTo: "" }, 0), 0);
  const to = [channel(quiet)];
  let outbox = queued(EMPTY_OUTBOX, NOW, { to, minute: 0 });
  assert.deepEqual(dueEntries(outbox, NOW), []);
  outbox = queued(outbox, NOW, { to, minute: 0, message: { type: "error" } });
  assert.deepEqual(dueEntries(outbox, NOW).map(({ message }) => message.type), ["error"]);
  assert.equal(dueEntries(outbox, NOW + 390 * 60_000)[0]!.message.type, "warning");
});
