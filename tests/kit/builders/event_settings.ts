import type { EventStoreSettings } from "../../../system/events/settings_schema.ts";

/** An engine whose settings store every topic. */
export const STORES_ALL: { readonly config: { readonly eventStore: EventStoreSettings } } = {
  config: { eventStore: { SaveEvents: [""], MaxSize: 1 << 30, TopicLimits: [], Days: 90 } },
};
