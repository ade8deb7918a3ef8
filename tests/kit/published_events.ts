import type { Bus } from "../../system/core/events/bus.ts";
import { topicOf } from "../../system/events/topics/topics.ts";

/**
 * Holds what the program publishes to the table of topics: an event of a topic that the table has must
 * be as its schema says. Answers what was wrong.
 */
export function watchPublished(bus: Bus): readonly string[] {
  const faults: string[] = [];
  bus.subscribe(({ topic, data }) => {
    const known = topicOf(topic);
    if (known === null) return;
    const parsed = known.payload.safeParse(JSON.parse(JSON.stringify(data)));
    if (!parsed.success) faults.push(`${topic} ${JSON.stringify(data)}: ${parsed.error.message}`);
  });
  return faults;
}
