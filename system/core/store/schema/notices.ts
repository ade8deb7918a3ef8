import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Things that someone should know or do; open until resolved. Times are unix milliseconds. */
export const notices = sqliteTable("notices", {
  id: text().primaryKey(),
  kind: text().notNull(),
  /** What it is about, such as a document or a table; "" when the kind says it all. */
  subject: text().notNull(),
  detail: text().notNull(),
  data: text({ mode: "json" }).$type<Readonly<Record<string, unknown>>>().notNull(),
  at: integer().notNull(),
  lastAt: integer("last_at").notNull(),
  count: integer().notNull(),
  resolvedAt: integer("resolved_at"),
  resolvedBy: text("resolved_by"),
  /** It needs no attention before this moment; null once it does. */
  snoozedUntil: integer("snoozed_until"),
}, (table) => [
  index("notices_open").on(table.kind, table.subject, table.resolvedAt),
  index("notices_latest").on(table.at, table.id),
]);
