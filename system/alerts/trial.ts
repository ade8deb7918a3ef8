import type { Config } from "../config.ts";
import { Turns } from "../core/time/slices.ts";
import type { EventStore } from "../events/store/event_store.ts";
import { messageOf } from "./alert_watch.ts";
import { alertsOf, compileRule } from "./evaluate.ts";
import type { AlertRule } from "./schema.ts";

const DAY_MS = 86_400_000;
/** Events that are looked at, and matches that are shown. */
const MAX_EVENTS = 5000, SHOWN = 20;

/** Tries a rule, though it be disabled, on the stored events of the last day. */
export async function tryRule(
  rule: AlertRule,
  { store, config, now, mayRead }: {
    readonly store: Pick<EventStore, "ask">;
    readonly config: Pick<Config, "devices">;
    readonly now: number;
    readonly mayRead: (topic: string) => boolean;
  },
) {
  const { events, isCut } = await store.ask({
    type: "latest",
    ...{ prefix: rule.TopicPrefix, since: now - DAY_MS, limit: MAX_EVENTS },
  });
  const compiled = compileRule({ ...rule, Disabled: false });
  const items = [];
  const turns = new Turns();
  let matched = 0, looked = 0;
  for (const row of events) {
    if (!mayRead(row.topic)) continue;
    looked++;
    await turns.pause();
    const event = { ...row, data: JSON.parse(row.data) as unknown };
    const [alert] = alertsOf(compiled, event);
    if (alert === undefined) continue;
    matched++;
    if (items.length >= SHOWN) continue;
    const { title, body } = messageOf(rule, alert, { event, config });
    items.push({
      topic: event.topic,
      at: event.at,
      title,
      body,
      event: event.data as Readonly<Record<string, unknown>>,
    });
  }
  return { looked, matched, complete: !isCut, items };
}
