import type { BusEvent } from "../core/events/bus.ts";

/** A message to a WebSocket, as existing clients read it. */
export interface SocketMessage {
  /** Topic of the event. */
  readonly Type: string;
  /** Payload of the event as the text of its JSON. */
  readonly Data: string;
  /** For people: shown as it comes. */
  readonly Notification: boolean;
  /** One of every event, for readers of all. */
  readonly WildcardAll: boolean;
}

/** Beginnings of the topics that are notifications. */
const NOTIFICATIONS = [
  "alert:",
  "classify:result",
  "plugin:",
  "wan:uplink:",
  "wifi:auth",
] as const;

/**
 * The messages of an event. Readers of notifications get those; readers of all get these and every
 * event whose payload is an object, and so some events twice.
 */
export function socketMessages(
  { topic, data, delivery }: Pick<BusEvent, "topic" | "data" | "delivery">,
  readsAll: boolean,
): readonly SocketMessage[] {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return [];
  const isNotification = (delivery?.notify ?? true) &&
    NOTIFICATIONS.some((beginning) => topic.startsWith(beginning));
  if (!isNotification && !readsAll) return [];
  const message = { Type: topic, Data: JSON.stringify(data) };
  return [
    ...(isNotification ? [{ ...message, Notification: true, WildcardAll: false }] : []),
    ...(readsAll ? [{ ...message, Notification: false, WildcardAll: true }] : []),
  ];
}
