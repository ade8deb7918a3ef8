import { isNotNull } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Events, and what clients put into buckets beside them. A bucket is a topic. */
export const events = sqliteTable("events", {
  /** Of the bus: increases with every event, across restarts. */
  id: integer().primaryKey(),
  topic: text().notNull(),
  /** Unix milliseconds, and the nanoseconds within: what addresses an item of a bucket. */
  at: integer().notNull(),
  nanos: integer().notNull(),
  /** Name of an item that a client put; null where its time addresses it. */
  key: text(),
  /** JSON. */
  data: text().notNull(),
  /** False for an item that a client put: it is part of no stream. */
  published: integer({ mode: "boolean" }).notNull(),
}, (table) => [
  index("events_topic_at").on(table.topic, table.at, table.nanos),
  index("events_topic_key").on(table.topic, table.key).where(isNotNull(table.key)),
]);

/** Buckets that there are, with or without items. */
export const buckets = sqliteTable("buckets", { name: text().primaryKey() });

/** What clients changed or deleted of what a server may have already, in the order of their numbers. */
export const corrections = sqliteTable("corrections", {
  id: integer().primaryKey({ autoIncrement: true }),
  topic: text().notNull(),
  /** Id of the event; the last one where all of the bucket was deleted. */
  event: integer().notNull(),
  kind: text({ enum: ["changed", "deleted", "emptied"] }).notNull(),
});

/** Single values: what retention has deleted, and how far a server has the history. */
export const marks = sqliteTable("marks", {
  name: text().primaryKey(),
  value: integer().notNull(),
});
