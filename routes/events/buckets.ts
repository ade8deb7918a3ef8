import type { Context } from "hono";
import * as z from "zod";
import type { Config } from "../../system/config.ts";
import type { Identity } from "../../system/access/identity.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import { invalid, notFound, Problem, sentence } from "../../system/core/errors/problem.ts";
import type { Bus } from "../../system/core/events/bus.ts";
import { EventStoreSettings } from "../../system/events/settings_schema.ts";
import {
  checkDelete,
  checkPut,
  itemKey,
  itemQuery,
  newItem,
} from "../../system/events/store/bucket_rules.ts";
import * as shapes from "../../system/events/store/bucket_schema.ts";
import type { OpenedServer } from "../../system/events/server/open.ts";
import { HistoryServerState } from "../../system/events/server/state_schema.ts";
import type { EventStore } from "../../system/events/store/event_store.ts";
import { formatItemTime } from "../../system/events/store/item_time.ts";
import type { FoundItems, ItemKey } from "../../system/events/store/messages.ts";
import { topicAccess } from "../../system/events/topics/topic_access.ts";
import { type Route, route } from "../http/route.ts";

/** What the routes of the event store need from outside. */
export interface BucketsDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly bus: Pick<Bus, "reserveId">;
  readonly eventStore: Pick<EventStore, "ask">;
  /** The history on a server; null where it is sent to none. */
  readonly historyServer: Pick<OpenedServer, "items" | "state"> | null;
  readonly identity: (c: Context) => Promise<Identity>;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Items of one bucket that are listed at most. */
const MAX_ITEMS = 10_000;
/** Characters of the items of all buckets in one answer. */
const MAX_CHARACTERS = 8 << 20;
/** Bytes of an item that is put. */
const MAX_ITEM = 256 << 10;

/** The state where there is no history server. */
const NO_SERVER: HistoryServerState = {
  ...{ host: "", waiting: 0, oldestAt: 0, sentAt: 0, failedAt: 0, problem: "" },
};

/** What an unreadable search finds. */
const NOTHING: FoundItems = { items: [], stoppedAt: null };

/** Items as existing clients read them: null for none. */
function answered(c: Context, { items, stoppedAt }: FoundItems): unknown[] | null {
  if (stoppedAt !== null) c.header("Search-Stopped-At", formatItemTime(stoppedAt));
  return items.length === 0 ? null : [...items];
}

/** The event store as existing clients know it: a bucket for each topic. */
export function bucketsRoutes(
  { engine, bus, eventStore, historyServer, identity, now }: BucketsDeps,
): Route[] {
  const common = { tag: "Event store", access: "auth" } as const;
  const base = "/plugins/db";
  const time = "2026-01-31T12:00:00.000001000Z";
  const note = { time, text: "The printer was moved" };
  const example = { parameters: { name: "notes" } };
  const itemExample = { parameters: { name: "notes", key: `timekey:${time}` }, response: note };

  /** Throws Problem 403 where the caller may not read the topic. */
  async function checkRead(c: Context, bucket: string): Promise<void> {
    if (topicAccess(await identity(c))(bucket)) return;
    throw new Problem(403, `This token does not cover the events of ${bucket}`);
  }

  async function put(bucket: string, key: ItemKey, value: unknown): Promise<void> {
    const known = await eventStore.ask({ type: "get", bucket, key });
    checkPut(bucket, known !== undefined);
    const item = { id: bus.reserveId(), data: JSON.stringify(value ?? null), at: present() };
    await eventStore.ask({ type: "put", bucket, key, item });
  }

  const present = () => ({ at: now(), nanos: Math.floor(Math.random() * 1_000_000) });

  async function readable(c: Context): Promise<readonly string[]> {
    const mayRead = topicAccess(await identity(c));
    return (await eventStore.ask({ type: "buckets" })).filter(mayRead);
  }

  return [
    route({
      method: "GET",
      path: `${base}/config`,
      ...common,
      document: "eventStore",
      summary: "What is stored",
      description: "Topics, size and age of what the event store keeps.",
      response: EventStoreSettings,
    }, () => engine.config.eventStore),
    route({
      method: "PUT",
      path: `${base}/config`,
      ...common,
      document: "eventStore",
      summary: "Set what is stored",
      description:
        "Replaces the settings, which hold at once. A name in `SaveEvents` that ends in a colon is " +
        "the beginning of topics; topics that begin with `alert:` are always stored.",
      body: EventStoreSettings,
      response: EventStoreSettings,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "events.store",
        summary: "Set what the event store keeps",
        reduce: (config) => [{ ...config, eventStore: call.body }, call.body],
      }, (settings) => settings)),
    route({
      method: "GET",
      path: `${base}/server`,
      ...common,
      summary: "How sending to the history server stands",
      description:
        "What waits for the server of `SLUICE_DATABASE`, since when, and what went wrong the last time.",
      response: HistoryServerState,
      errors: [503],
    }, async () => await historyServer?.state() ?? NO_SERVER),
    route({
      method: "GET",
      path: `${base}/stats`,
      ...common,
      summary: "Size and topics",
      description: "Bytes in use, and the topics that are stored or named by the settings.",
      response: shapes.StoreStats,
      errors: [503],
    }, async ({ c }) => ({
      Size: await eventStore.ask({ type: "size" }),
      Topics: [...new Set([...await readable(c), ...engine.config.eventStore.SaveEvents])],
    })),
    route({
      method: "GET",
      path: `${base}/stats/{bucket}`,
      ...common,
      summary: "Number of items of a bucket",
      description: "How many items are stored under a topic now, after retention.",
      examples: { parameters: { bucket: "alert:dhcp-pool" } },
      params: shapes.BucketOf,
      response: shapes.BucketStats,
      errors: [403, 404, 503],
    }, async ({ c, params: { bucket } }) => {
      await checkRead(c, bucket);
      const KeyN = await eventStore.ask({ type: "countItems", bucket });
      if (KeyN === null) throw noBucket();
      return { KeyN };
    }),
    route({
      method: "GET",
      path: `${base}/topics`,
      ...common,
      summary: "Topics of stored events",
      description: "The topics that the caller may read.",
      response: z.array(z.string()),
      errors: [503],
    }, ({ c }) => readable(c)),
    route({
      method: "GET",
      path: `${base}/buckets`,
      ...common,
      summary: "Buckets",
      description:
        "Names of the buckets that the caller may read; with `full` their items as well.",
      examples: { parameters: { full: "1" } },
      query: shapes.BucketsQuery,
      response: z.union([z.array(z.string()), z.array(shapes.FullBucket)]),
      errors: [503],
    }, async ({ c, query: { full } }) => {
      const names = await readable(c);
      if (full !== "1" && full !== "true") return names;
      const all = [];
      for (const name of names) {
        const characters = Math.floor(MAX_CHARACTERS / names.length);
        const limits = { limit: MAX_ITEMS, characters };
        const items = await eventStore.ask({ type: "entries", bucket: name, ...limits });
        all.push({ name, items: items ?? [] });
      }
      return all;
    }),
    route({
      method: "PUT",
      path: `${base}/buckets`,
      ...common,
      summary: "Add a bucket",
      description: "An empty one, for items of a client's own.",
      examples: { body: { name: "notes" } },
      body: shapes.NewBucket,
      errors: [403, 409, 503],
    }, async ({ body: { name } }) => {
      checkPut(name, false);
      if (!await eventStore.ask({ type: "addBucket", name })) {
        throw new Problem(409, sentence("The bucket {name} is there already", { name }));
      }
    }),
    route({
      method: "GET",
      path: `${base}/bucket/{name}`,
      ...common,
      summary: "Items of a bucket",
      description:
        `All items with their keys, oldest first; of more than ${MAX_ITEMS}, or 8 MiB, the newest.`,
      examples: { ...example, response: [{ Key: time, Value: note }] },
      params: shapes.BucketPath,
      response: z.array(shapes.BucketItem),
      errors: [403, 404, 503],
    }, async ({ c, params: { name } }) => {
      await checkRead(c, name);
      const items = await eventStore.ask({ type: "entries", bucket: name, limit: MAX_ITEMS });
      if (items === null) throw noBucket();
      return items;
    }),
    route({
      method: "PUT",
      path: `${base}/bucket/{name}`,
      ...common,
      summary: "Put an item",
      description:
        "An object of exactly `key` and `value` is stored under that key; any other whole, under its " +
        "`time` or now. Answered once it is stored. Items of the router's own topics are written by " +
        "it alone.",
      examples: { ...example, body: { key: "printer", value: note }, response: note },
      params: shapes.BucketPath,
      body: shapes.ItemValue,
      maxBody: MAX_ITEM,
      response: shapes.ItemValue,
      errors: [403, 404, 503],
    }, async ({ c, params: { name } }) => {
      const { key, value } = newItem(await c.req.json(), present());
      await put(name, key, value);
      return value;
    }),
    route({
      method: "DELETE",
      path: `${base}/bucket/{name}`,
      ...common,
      summary: "Delete a bucket",
      description:
        "Deletes it with its items. What the router stored itself is deleted by an admin only.",
      examples: example,
      params: shapes.BucketPath,
      errors: [403, 404, 503],
    }, async ({ c, params: { name } }) => {
      checkDelete(name, (await identity(c)).principal);
      if (!await eventStore.ask({ type: "deleteBucket", name })) throw noBucket();
    }),
    route({
      method: "GET",
      path: `${base}/items/{name}`,
      ...common,
      summary: "Search a bucket",
      description:
        "Items of a bucket by time and value, newest first, up to 8 MiB of them; `null` when none " +
        "matches. Each has a `time`, which addresses it as `timekey:<time>`. A search that takes " +
        "longer than a few seconds answers with what it has found so far, and with " +
        "`Search-Stopped-At`: repeat it with this time as `max`, or as `min` with `order=asc`.",
      examples: {
        parameters: {
          name: "auth:failure",
          min: "2026-01-31T00:00:00Z",
          max: "2026-02-01T00:00:00Z",
          num: "10",
          order: "asc",
          strict: "1",
          filter: '$[?(@.type=="user")]',
          source: "server",
        },
        response: [note],
      },
      params: shapes.BucketPath,
      query: shapes.ItemsQuery,
      response: z.array(shapes.ItemValue).nullable(),
      sends: ["Search-Stopped-At"],
      errors: [400, 403, 404, 503],
    }, async ({ c, params: { name }, query }) => {
      await checkRead(c, name);
      const wanted = itemQuery(query, now());
      if (query.source === "server") {
        if (historyServer === null) {
          throw invalid("/source", "This router sends its history to no server (SLUICE_DATABASE)");
        }
        return answered(
          c,
          wanted === null ? NOTHING : await historyServer.items(name, wanted).catch((error) => {
            throw new Problem(503, "The history server did not answer", { cause: error });
          }),
        );
      }
      const found = wanted === null
        ? NOTHING
        : await eventStore.ask({ type: "items", bucket: name, query: wanted });
      if (found === null) throw noBucket();
      return answered(c, found);
    }),
    route({
      method: "GET",
      path: `${base}/bucket/{name}/{key}`,
      ...common,
      summary: "One item",
      description: "Addressed by its name, its time, or `timekey:` and its time.",
      examples: itemExample,
      params: shapes.ItemPath,
      response: shapes.ItemValue,
      errors: [400, 403, 404, 503],
    }, async ({ c, params: { name, key } }) => {
      await checkRead(c, name);
      const value = await eventStore.ask({ type: "get", bucket: name, key: itemKey(key) });
      if (value === undefined) throw notFound("There is no such item");
      return value;
    }),
    route({
      method: "PUT",
      path: `${base}/bucket/{name}/{key}`,
      ...common,
      summary: "Set one item",
      description:
        "Replaces the item of this name or time, or puts one there. Existing clients resolve an " +
        "alert by sending it back with another `State`.",
      examples: { ...itemExample, body: note },
      params: shapes.ItemPath,
      body: shapes.ItemValue,
      maxBody: MAX_ITEM,
      response: shapes.ItemValue,
      errors: [403, 404, 503],
    }, async ({ c, params: { name, key } }) => {
      const value: unknown = await c.req.json();
      await put(name, itemKey(key), value);
      return value;
    }),
    route({
      method: "DELETE",
      path: `${base}/bucket/{name}/{key}`,
      ...common,
      summary: "Delete one item",
      description:
        "Succeeds as well where it is not there. What the router stored itself is deleted by an admin only.",
      examples: itemExample,
      params: shapes.ItemPath,
      errors: [400, 403, 503],
    }, async ({ c, params: { name, key } }) => {
      checkDelete(name, (await identity(c)).principal);
      await eventStore.ask({ type: "remove", bucket: name, key: itemKey(key) });
    }),
  ];
}

function noBucket(): Problem {
  return notFound("There is no such bucket");
}
