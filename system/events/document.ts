import type { Document } from "../core/config/document.ts";
import { issueMessage } from "../core/config/read_list.ts";
import { Problem } from "../core/errors/problem.ts";
import { EventStoreSettings, STORED_BY_DEFAULT } from "./settings_schema.ts";

/** What the event store keeps, in the file of existing routers. */
export const eventStoreDocument: Document<EventStoreSettings> = {
  path: "db/config.json",
  topic: "events",
  schema: EventStoreSettings,
  fallback: STORED_BY_DEFAULT,
  read(raw) {
    const parsed = EventStoreSettings.safeParse(raw);
    if (parsed.success) return { value: parsed.data, rejected: [] };
    throw new Problem(400, issueMessage(parsed.error));
  },
};
