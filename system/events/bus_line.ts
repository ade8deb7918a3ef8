import { isRecord } from "../core/config/json.ts";

/** Bytes of a line, its line feed aside. */
export const MAX_LINE_BYTES = 256 * 1024;

/** What begins the topic of a line that asks for events. */
const SUBSCRIBE = "subscribe:";

/** A line that a client sent. */
export type BusLine =
  | { readonly kind: "publish"; readonly topic: string; readonly value: string }
  | { readonly kind: "subscribe"; readonly prefix: string };

/** Parses a line; null when malformed. */
export function readBusLine(line: string): BusLine | null {
  let raw: unknown;
  try {
    raw = JSON.parse(line);
  } catch {
    return null;
  }
  if (!isRecord(raw)) return null;
  const { topic, value } = raw;
  if (typeof topic !== "string" || topic === "") return null;
  if (topic.startsWith(SUBSCRIBE)) {
    return { kind: "subscribe", prefix: topic.slice(SUBSCRIBE.length) };
  }
  return typeof value === "string" ? { kind: "publish", topic, value } : null;
}

/** An event as a line, without its line feed: its value is text, mostly JSON. */
export function writeBusLine(event: { readonly topic: string; readonly data: unknown }): string {
  const { topic, data } = event;
  const value = typeof data === "string" ? data : JSON.stringify(data) ?? "null";
  return JSON.stringify({ topic, value });
}

/** Parses an event's text value where it is JSON. */
export function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
