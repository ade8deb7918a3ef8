import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The history of many routers on a libSQL server: the columns of the event store, and whose they are. */
export const routerEvents = sqliteTable("router_events", {
  /** Id of the router, which it keeps. */
  router: text().notNull(),
  id: integer().notNull(),
  topic: text().notNull(),
  /** Unix milliseconds, and the nanoseconds within. */
  at: integer().notNull(),
  nanos: integer().notNull(),
  key: text(),
  /** JSON. */
  data: text().notNull(),
  published: integer({ mode: "boolean" }).notNull(),
}, (table) => [
  primaryKey({ columns: [table.router, table.id] }),
  index("router_events_topic_at").on(table.router, table.topic, table.at, table.nanos),
]);

/** Makes the table where it is missing. */
export const SERVER_SCHEMA: readonly string[] = [
  "CREATE TABLE IF NOT EXISTS `router_events` (`router` text NOT NULL, `id` integer NOT NULL, " +
  "`topic` text NOT NULL, `at` integer NOT NULL, `nanos` integer NOT NULL, `key` text, " +
  "`data` text NOT NULL, `published` integer NOT NULL, PRIMARY KEY(`router`, `id`))",
  "CREATE INDEX IF NOT EXISTS `router_events_topic_at` " +
  "ON `router_events` (`router`, `topic`, `at`, `nanos`)",
];
