import * as z from "zod";
import { TopicBeginning } from "./topics/topic.ts";
import { TOPICS } from "./topics/topics.ts";

/** Beginning of the topics of alerts, which are always stored. */
export const ALERTS = "alert:";

const MEBIBYTE = 1 << 20;

/** What is stored in the event store: names of existing clients, and `Days`. */
export const EventStoreSettings = z.object({
  SaveEvents: z.array(TopicBeginning).max(500)
    .describe("Beginnings of the topics that are stored; an empty text is every topic"),
  MaxSize: z.int().min(MEBIBYTE).max(2 ** 40).describe("Bytes; the oldest events give way"),
  TopicLimits: z.array(z.object({ Name: TopicBeginning.min(1), Size: z.int().min(0) }))
    .max(500).default([]).describe("Bytes of single topics"),
  Days: z.int().min(1).max(3650).default(90).describe("Events older than this are deleted"),
}).meta({ id: "EventStoreSettings" });
export type EventStoreSettings = z.output<typeof EventStoreSettings>;

/** Every topic but those that come with every query and every list. */
export const STORED_BY_DEFAULT: EventStoreSettings = {
  SaveEvents: TOPICS.filter(({ passing }) => !passing).map(({ name }) => name),
  MaxSize: 250 * MEBIBYTE,
  TopicLimits: [],
  Days: 90,
};

/** Whether events of a topic are stored. */
export function keeps(
  { SaveEvents }: Pick<EventStoreSettings, "SaveEvents">,
  topic: string,
): boolean {
  return topic.startsWith(ALERTS) || SaveEvents.some((beginning) => fits(beginning, topic));
}

/**
 * A beginning ends at a colon of the topic, so that `devices` does not mean `devices:save`, which has
 * every device. Existing clients write `auth:failure:` for `auth:failure`.
 */
function fits(beginning: string, topic: string): boolean {
  if (beginning === "" || beginning === topic || beginning === `${topic}:`) return true;
  return beginning.endsWith(":") && topic.startsWith(beginning);
}
