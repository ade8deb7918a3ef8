import type { AlertChannel, ChannelState } from "../channels/schema.ts";
import type { AlertToSend, ChannelMessage } from "./message.ts";
import { type ChannelRecord, NEW_CHANNEL, type Outbox, type OutboxEntry } from "./outbox_schema.ts";

/** Milliseconds in which the same alert is only counted. */
export const REPEAT_MS = 600_000;
/** The span of {@link AlertChannel.perHour}. */
export const HOUR_MS = 3_600_000;
/** Milliseconds after which a message is given up. */
export const MAX_AGE_MS = 86_400_000;
/** Messages that wait for one channel; the oldest gives way. */
export const MAX_WAITING = 100;
/** Alerts of a channel that are remembered to tell repetitions. */
const MAX_SEEN = 100;
/** Responses that put a message off, after which it is given up; without the Internet there are none. */
export const MAX_RESPONSES = 8;
/** Milliseconds before the next attempt: doubled each time, up to the second. */
export const BACK_OFF_MS = { first: 10_000, longest: 3_600_000 } as const;
const DAY_MINUTES = 1440;

/** A moment: unix milliseconds, and the minute of the router's day. */
export interface Moment {
  readonly now: number;
  readonly minute: number;
}

/** Whether a channel takes a message. */
export function takes(
  { enabled, types, only }: Pick<AlertChannel, "enabled" | "types" | "only">,
  { type, source }: Pick<ChannelMessage, "type" | "source">,
): boolean {
  return enabled && (types.length === 0 || types.includes(type)) &&
    (only.length === 0 || only.includes(source));
}

/** Queues an alert for every channel that takes it, counting what repeats or is too much. */
export function queueAlert(
  outbox: Outbox,
  alert: AlertToSend,
  { channels, ...moment }: Moment & { readonly channels: readonly AlertChannel[] },
): Outbox {
  return channels.filter((channel) => takes(channel, alert.message))
    .reduce((next, channel) => queueFor(next, alert, { channel, ...moment }), outbox);
}

function queueFor(
  outbox: Outbox,
  { message, subject }: AlertToSend,
  { channel, now, minute }: Moment & { readonly channel: AlertChannel },
): Outbox {
  const record = outbox.channels[channel.id] ?? NEW_CHANNEL;
  const key = `${message.source} ${subject}`.slice(0, 300);
  const known = record.seen.find((one) => one.key === key);
  if (known !== undefined && now < known.until && now > known.until - 2 * REPEAT_MS) {
    const seen = record.seen.map((one) => one === known ? { ...one, count: one.count + 1 } : one);
    return withRecord(outbox, channel.id, { ...record, seen, repeated: record.repeated + 1 });
  }
  const recent = record.recent.filter((at) => at > now - HOUR_MS && at <= now);
  if (recent.length >= channel.perHour) {
    return withRecord(outbox, channel.id, { ...record, recent, held: record.held + 1 });
  }
  const entry: OutboxEntry = {
    channel: channel.id,
    message: { ...message, repeated: known?.count ?? 0 },
    queued: now,
    due: message.type === "error" ? now : now + quietMinutes(channel, minute) * 60_000,
    ...{ tries: 0, responses: 0 },
  };
  const others = record.seen.filter((one) => one !== known).slice(1 - MAX_SEEN);
  const waiting = outbox.entries.filter((one) => one.channel === channel.id);
  const oldest = waiting.length >= MAX_WAITING ? waiting[0] : undefined;
  return withRecord(
    { ...outbox, entries: [...outbox.entries.filter((one) => one !== oldest), entry] },
    channel.id,
    {
      ...record,
      recent: [...recent, now],
      seen: [...others, { key, until: now + REPEAT_MS, count: 0 }],
      lost: record.lost + (oldest === undefined ? 0 : 1),
    },
  );
}

/** Minutes until the quiet hours of a channel are over; 0 outside of them. */
export function quietMinutes(
  { quietFrom, quietTo }: Pick<AlertChannel, "quietFrom" | "quietTo">,
  minute: number,
): number {
  if (quietFrom === "" || quietTo === "" || quietFrom === quietTo) return 0;
  const since = (minute - minuteOf(quietFrom) + DAY_MINUTES) % DAY_MINUTES;
  const length = (minuteOf(quietTo) - minuteOf(quietFrom) + DAY_MINUTES) % DAY_MINUTES;
  return since < length ? length - since : 0;
}

function minuteOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  return hours * 60 + minutes;
}

/** The next message of each channel whose time has come. */
export function dueEntries(outbox: Outbox, now: number): readonly OutboxEntry[] {
  const first = new Map<string, OutboxEntry>();
  for (const entry of outbox.entries) {
    const { channel, due } = entry;
    const resume = outbox.channels[channel]?.resume ?? 0;
    // A clock that was set back does not keep what waits longer than intended.
    const isDue = due <= now || due > now + DAY_MINUTES * 60_000;
    const mayTry = resume <= now || resume > now + BACK_OFF_MS.longest;
    if (isDue && mayTry && !first.has(channel)) first.set(channel, entry);
  }
  return [...first.values()];
}

/**
 * What came of an attempt. `sent`: accepted. `refused`: not to be tried again. `busy`: the receiver
 * responded, but wants it later. `away`: there was no response.
 */
export interface Outcome {
  readonly kind: "sent" | "refused" | "busy" | "away";
  /** The receiver's own words. */
  readonly message: string;
}

/** Names an attempt: the next one of the same message has another name. */
export function attemptId({ channel, message, tries }: OutboxEntry): string {
  return `${channel} ${message.id} ${tries}`;
}

/** Takes in what came of an attempt; of one that is over already, nothing. `random` in 0 to 1 spreads the next ones. */
export function settleAttempt(
  outbox: Outbox,
  { id, outcome }: { readonly id: string; readonly outcome: Outcome },
  { now, random }: { readonly now: number; readonly random: number },
): Outbox {
  const entry = outbox.entries.find((one) => attemptId(one) === id);
  if (entry === undefined) return outbox;
  const { channel } = entry;
  const record = outbox.channels[channel] ?? NEW_CHANNEL;
  const { kind, message } = outcome;
  const responses = entry.responses + (kind === "busy" ? 1 : 0);
  const isLost = kind === "refused" || responses >= MAX_RESPONSES;
  const isOver = kind === "sent" || isLost;
  const failures = kind === "busy" || kind === "away" ? record.failures + 1 : 0;
  return withRecord(
    {
      ...outbox,
      entries: outbox.entries.flatMap((one) =>
        one !== entry ? one : isOver ? [] : { ...entry, tries: entry.tries + 1, responses }
      ),
    },
    channel,
    {
      ...record,
      failures,
      resume: failures === 0 ? 0 : now + backOff(failures, random),
      at: now,
      ok: kind === "sent",
      message,
      sentAt: kind === "sent" ? now : record.sentAt,
      lost: record.lost + (isLost ? 1 : 0),
    },
  );
}

/** Milliseconds until the next attempt after so many failures, at least half of what they allow. */
export function backOff(failures: number, random: number): number {
  const full = Math.min(BACK_OFF_MS.first * 2 ** (failures - 1), BACK_OFF_MS.longest);
  return Math.round(full * (0.5 + random / 2));
}

/** Gives up what is too old, and forgets channels that are gone or disabled. */
export function prunedOutbox(
  outbox: Outbox,
  { channels, now }: { readonly channels: readonly AlertChannel[]; readonly now: number },
): Outbox {
  const enabled = new Set(channels.filter((channel) => channel.enabled).map(({ id }) => id));
  const kept = outbox.entries.filter(({ channel }) => enabled.has(channel));
  const entries = kept.filter(({ queued }) => now - queued < MAX_AGE_MS);
  const known = new Set(channels.map(({ id }) => id));
  const gone = Object.keys(outbox.channels).filter((id) => !known.has(id));
  if (entries.length === outbox.entries.length && gone.length === 0) return outbox;
  const records = Object.fromEntries(
    Object.entries(outbox.channels).filter(([id]) => known.has(id)),
  );
  return kept.filter((entry) => !entries.includes(entry)).reduce((next, { channel }) => {
    const record = next.channels[channel] ?? NEW_CHANNEL;
    return withRecord(next, channel, { ...record, lost: record.lost + 1 });
  }, { entries, channels: records });
}

/** How the deliveries of each channel stand. */
export function channelStates(
  outbox: Outbox,
  channels: readonly AlertChannel[],
): readonly ChannelState[] {
  return channels.map(({ id }) => {
    const { at, ok, message, sentAt, repeated, held, lost, resume } = outbox.channels[id] ??
      NEW_CHANNEL;
    const entries = outbox.entries.filter(({ channel }) => channel === id);
    const first = (times: readonly number[]) => entries.length === 0 ? 0 : Math.min(...times);
    return {
      ...{ id, at, ok, message, sentAt, repeated, held, lost },
      waiting: entries.length,
      oldestAt: first(entries.map(({ queued }) => queued)),
      nextAt: Math.max(first(entries.map(({ due }) => due)), entries.length === 0 ? 0 : resume),
    };
  });
}

function withRecord(outbox: Outbox, id: string, record: ChannelRecord): Outbox {
  return { ...outbox, channels: { ...outbox.channels, [id]: record } };
}
