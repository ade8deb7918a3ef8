import type { Config } from "../config.ts";
import type { Bus, BusEvent } from "../core/events/bus.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import { atOnce, inTurns } from "../core/time/slices.ts";
import { type Alert, alertsOf, type CompiledRule, compileRule } from "./evaluate.ts";
import type { AlertRule } from "./schema.ts";
import { rendered } from "./templates.ts";

/** Milliseconds in which what one rule stores is one notice at most. */
const NOTICE_INTERVAL_MS = 2000;
/** Alerts of one rule in a minute that are published; more are only counted by its notice. */
const MAX_PER_MINUTE = 600;

/** Events that wait to be looked at, at most: older ones are looked at first, without a turn for others. */
const MAX_UNSEEN = 10_000;

/** An event, and the rules that it is still to be looked at by. */
interface Unseen {
  readonly event: BusEvent;
  readonly rules: readonly CompiledRule[];
  /** Index of the next rule. */
  next: number;
}

/** An alert in words, for people. */
export interface AlertMessage {
  readonly ruleId: string;
  readonly name: string;
  /** Topic of the event. */
  readonly topic: string;
  readonly at: number;
  /** `info`, `warning`, `success` or `error`. */
  readonly type: string;
  readonly title: string;
  readonly body: string;
  readonly event: unknown;
}

/** What an {@link watchAlerts} needs from outside. */
export interface AlertWatchOptions {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly bus: Pick<Bus, "publish" | "subscribe">;
  /** Lists an alert until it is resolved. */
  readonly list: (message: AlertMessage, times: number) => Promise<void>;
  /** Sends an alert by the channels. */
  readonly send?: (message: AlertMessage) => void;
  readonly failed: (error: unknown) => void;
}

/** The words of an alert, its templates filled in. */
export function messageOf(
  rule: AlertRule,
  { info, action }: Alert,
  { event, config }: {
    readonly event: Pick<BusEvent, "topic" | "at" | "data">;
    readonly config: Pick<Config, "devices">;
  },
): AlertMessage {
  const filled = (template: string) => rendered(template, event.data, config.devices);
  return {
    ruleId: rule.RuleId,
    name: rule.Name,
    topic: event.topic,
    at: event.at,
    type: action.NotificationType || "info",
    title: filled(action.MessageTitle) || rule.Name,
    body: filled(action.MessageBody),
    event: info.Event ?? null,
  };
}

/**
 * Looks at every event by the rules, and publishes, lists and sends their alerts. Returns how to stop,
 * which resolves when those that waited are listed.
 */
export function watchAlerts(
  { engine, bus, list, send, failed }: AlertWatchOptions,
): () => Promise<void> {
  let rules: readonly AlertRule[] = [], compiled: readonly CompiledRule[] = [];
  const waiting = new Map<string, { message: AlertMessage; times: number }>();
  const published = new Map<string, { minute: number; count: number }>();
  const unseen: Unseen[] = [];
  let isLooking = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let listing: Promise<unknown> = Promise.resolve(), looking = Promise.resolve();

  function current(): readonly CompiledRule[] {
    const { alerts } = engine.config;
    if (alerts !== rules) {
      rules = alerts;
      compiled = alerts.filter(({ Disabled }) => !Disabled).map(compileRule);
    }
    return compiled;
  }

  function mayPublish({ RuleId }: AlertRule, at: number): boolean {
    const minute = Math.floor(at / 60_000);
    const known = published.get(RuleId);
    if (known === undefined || known.minute !== minute) {
      published.set(RuleId, { minute, count: 1 });
      return true;
    }
    return ++known.count <= MAX_PER_MINUTE;
  }

  function take(rule: AlertRule, alert: Alert, event: BusEvent): void {
    const { SendNotification, StoreAlert } = alert.action;
    if (!SendNotification && !StoreAlert) return;
    if (mayPublish(rule, event.at)) {
      bus.publish(alert.topic, alert.info, {
        kept: false,
        delivery: { notify: SendNotification, store: StoreAlert },
      });
    }
    const message = messageOf(rule, alert, { event, config: engine.config });
    if (SendNotification) send?.(message);
    if (!StoreAlert) return;
    const known = waiting.get(rule.RuleId);
    waiting.set(rule.RuleId, { message, times: (known?.times ?? 0) + 1 });
    timer ??= setTimeout(listAll, NOTICE_INTERVAL_MS);
  }

  function listAll(): void {
    timer = undefined;
    const alerts = [...waiting.values()];
    waiting.clear();
    const listed = alerts.map(({ message, times }) => list(message, times).catch(failed));
    listing = Promise.all([listing, ...listed]).then(() => {});
  }

  /** Looks at the events that wait until so many are left, by one rule in each step. */
  function* look(left: number): Generator<void, void> {
    for (let first = unseen[0]; first !== undefined && unseen.length > left; first = unseen[0]) {
      const one = first.rules[first.next++]!;
      // Before anything is published, which may lead to further looks.
      if (first.next === first.rules.length) unseen.shift();
      try {
        for (const alert of alertsOf(one, first.event)) take(one.rule, alert, first.event);
      } catch (error) {
        failed(error);
      }
      yield;
    }
  }

  function* lookAtAll(): Generator<void, void> {
    try {
      yield* look(0);
    } finally {
      isLooking = false;
    }
  }

  const unsubscribe = bus.subscribe((event) => {
    const rules = current().filter(({ rule }) => event.topic.startsWith(rule.TopicPrefix));
    if (rules.length === 0) return;
    unseen.push({ event, rules, next: 0 });
    // Once the event is delivered: readers get events in the order of their ids.
    if (!isLooking) {
      queueMicrotask(() => {
        looking = inTurns(lookAtAll());
      });
    } else if (unseen.length > MAX_UNSEEN) queueMicrotask(() => atOnce(look(MAX_UNSEEN)));
    isLooking = true;
  });
  return async () => {
    unsubscribe();
    atOnce(look(0));
    clearTimeout(timer);
    listAll();
    await listing;
    await looking;
  };
}
