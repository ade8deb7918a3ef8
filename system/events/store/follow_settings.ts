import type { Config } from "../../config.ts";
import type { Bus } from "../../core/events/bus.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import type { EventStoreSettings } from "../settings_schema.ts";
import type { EventStore } from "./event_store.ts";
import type { Retention } from "./messages.ts";

/** How long the event store keeps events, by its settings. */
export function retentionOf({ Days, MaxSize, TopicLimits }: EventStoreSettings): Retention {
  return {
    days: Days,
    bytes: MaxSize,
    topics: TopicLimits.map(({ Name, Size }) => ({ name: Name, bytes: Size })),
  };
}

/** Tells the event store of changed settings. Returns how to stop. */
export function followSettings({ engine, bus, store }: {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly bus: Pick<Bus, "subscribe">;
  readonly store: Pick<EventStore, "ask">;
}): () => void {
  return bus.subscribe(() => {
    const retention = retentionOf(engine.config.eventStore);
    // Where it is away it takes them when it is opened again.
    store.ask({ type: "configure", retention }).catch(() => {});
  }, ["events"]);
}
