import { ACCESS_TOPICS } from "./access.ts";
import { DEVICES_TOPICS } from "./devices.ts";
import { DHCP_TOPICS } from "./dhcp.ts";
import { DNS_TOPICS } from "./dns.ts";
import { MACHINE_TOPICS } from "./machine.ts";
import { NETWORK_TOPICS } from "./network.ts";
import { WIFI_TOPICS } from "./wifi.ts";
import type { Topic } from "./topic.ts";

/** Every topic, in the order of their names; the longest that fits an event counts. */
export const TOPICS: readonly Topic[] = [
  ...ACCESS_TOPICS,
  ...DEVICES_TOPICS,
  ...DHCP_TOPICS,
  ...DNS_TOPICS,
  ...MACHINE_TOPICS,
  ...NETWORK_TOPICS,
  ...WIFI_TOPICS,
].toSorted((one, other) => (one.name < other.name ? -1 : 1));

const exact = new Map(TOPICS.map((topic) => [topic.name, topic]));
const beginnings = TOPICS.filter(({ name }) => name.endsWith(":"));

/** What is known of an event's topic; null for one that another program made up. */
export function topicOf(name: string): Topic | null {
  return exact.get(name) ?? beginnings.find((topic) => name.startsWith(topic.name)) ?? null;
}
