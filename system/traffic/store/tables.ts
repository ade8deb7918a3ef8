import {
  customType,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  unique,
} from "drizzle-orm/sqlite-core";

const bytes = customType<{ data: Uint8Array; driverData: ArrayBuffer | Uint8Array }>({
  dataType: () => "blob",
  fromDriver: (value) => new Uint8Array(value),
  toDriver: (value) => value,
});

/** Addresses of devices. */
export const devices = sqliteTable("devices", {
  id: integer().primaryKey(),
  address: text().notNull().unique(),
});

/** Networks with the countries of their addresses. */
export const networks = sqliteTable("networks", {
  id: integer().primaryKey(),
  /** Number of the autonomous system; 0 where it is not known. */
  asn: integer().notNull(),
  country: text().notNull(),
  name: text().notNull(),
}, (table) => [unique("networks_asn_country").on(table.asn, table.country)]);

/** Addresses outside. */
export const remotes = sqliteTable("remotes", {
  id: integer().primaryKey(),
  address: text().notNull().unique(),
  network: integer().notNull(),
  /** Unix days on which there was traffic last, after which it is forgotten. */
  seen: integer().notNull(),
}, (table) => [index("remotes_seen").on(table.seen)]);

/** Names by which devices knew addresses. */
export const names = sqliteTable("names", {
  id: integer().primaryKey(),
  name: text().notNull().unique(),
  /** Unix days, as for addresses. */
  seen: integer().notNull(),
}, (table) => [index("names_seen").on(table.seen)]);

/**
 * Traffic of hours, and of days where hours are no longer kept. That of a device holds its
 * destinations, that of device 0 the networks of all devices.
 */
export const buckets = sqliteTable("buckets", {
  device: integer().notNull(),
  /** Unix hours. */
  start: integer().notNull(),
  /** 1 or 24. */
  hours: integer().notNull(),
  data: bytes().notNull(),
}, (table) => [primaryKey({ columns: [table.device, table.hours, table.start] })]);

/** Single values: which batch was stored last, and from which hour on hours are kept. */
export const marks = sqliteTable("marks", {
  name: text().primaryKey(),
  value: text().notNull(),
});

/** History of uplinks: outages, samples of minutes and hours, speed tests. */
export const uplinks = sqliteTable("uplinks", {
  kind: text().notNull(),
  iface: text().notNull(),
  /** Unix seconds. */
  at: integer().notNull(),
  /** The entry as JSON. */
  data: text().notNull(),
}, (table) => [primaryKey({ columns: [table.kind, table.iface, table.at] })]);
