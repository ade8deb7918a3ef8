import type * as z from "zod";
import type { Principal } from "../../access/identity.ts";
import { isRecord } from "../../core/config/json.ts";
import { notFound, Problem } from "../../core/errors/problem.ts";
import { ALERTS } from "../settings_schema.ts";
import { compileCondition } from "../jpath/condition.ts";
import { topicOf } from "../topics/topics.ts";
import type { ItemsQuery } from "./bucket_schema.ts";
import { type ItemTime, parseItemTime } from "./item_time.ts";
import type { ItemKey, ItemQuery } from "./messages.ts";

const YEAR_MS = 365 * 86_400_000;
const TIME_KEY = "timekey:";

/** How a key of a path addresses an item. Throws Problem 400 for a time that is none. */
export function itemKey(key: string): ItemKey {
  const time = parseItemTime(key.startsWith(TIME_KEY) ? key.slice(TIME_KEY.length) : key);
  if (time !== null) return { time };
  if (key.startsWith(TIME_KEY)) {
    throw new Problem(400, "After timekey: comes a time such as 2026-01-31T12:00:00.123456789Z");
  }
  return { name: key };
}

/** The search that a query asks for; null where it finds nothing whatever is stored. */
export function itemQuery(query: z.output<typeof ItemsQuery>, now: number): ItemQuery | null {
  const { min, max, num = "", order, strict, filter } = query;
  const isStrict = strict !== undefined && strict !== "";
  const bound = (text: string | undefined, fallback: number): ItemTime | null | undefined => {
    const time = text === undefined ? undefined : parseItemTime(text);
    if (isStrict) return text === undefined ? null : time ?? undefined;
    return time ?? { at: fallback, nanos: 999_999 };
  };
  const [from, to] = [bound(min, now - YEAR_MS), bound(max, now)];
  if (from === undefined || to === undefined) return null;
  const wanted = /^\d{1,9}$/.test(num) ? Number(num) : 100;
  if (filter && !compiles(filter)) return null;
  return {
    ...{ min: from, max: to, strict: isStrict, filter: filter || null },
    num: wanted < 1 ? 100 : Math.min(wanted, 1000),
    order: order === "asc" ? "asc" : "desc",
  };
}

/** A condition that is none matches nothing. */
function compiles(filter: string): boolean {
  try {
    compileCondition(filter);
    return true;
  } catch {
    return false;
  }
}

/** What is put into a bucket: under a name, or under its time. Throws Problem 400. */
export function newItem(
  body: unknown,
  at: ItemTime,
): { readonly key: ItemKey; readonly value: unknown } {
  if (!isRecord(body)) throw new Problem(400, "An item is a JSON object");
  const names = Object.keys(body).sort().join();
  if (names === "key,value") {
    if (typeof body["key"] !== "string" || body["key"] === "") {
      throw new Problem(400, "The key of an item is a text", {
        errors: [{ pointer: "/key", message: "Enter a text" }],
      });
    }
    return { key: { name: body["key"] }, value: body["value"] };
  }
  const own = typeof body["time"] === "string" ? parseItemTime(body["time"]) : null;
  return { key: { time: own ?? at }, value: body };
}

/**
 * Items of the router's own topics are written by it alone, so that nobody forges them; the state of an
 * alert is for everyone who may write. Throws Problem 403, or 404 where there is no such alert.
 */
export function checkPut(bucket: string, isKnown: boolean): void {
  if (bucket.startsWith(ALERTS)) {
    if (!isKnown) throw notFound("There is no such alert");
  } else if (topicOf(bucket) !== null) {
    throw new Problem(403, `Items of ${bucket} are written by the router alone`);
  }
}

/** What the router wrote is deleted by an admin only, never by a token or another user. Throws Problem 403. */
export function checkDelete(bucket: string, principal: Principal | null): void {
  if (topicOf(bucket) === null || principal?.kind === "user" && principal.role === "admin") return;
  throw new Problem(403, `Only an admin who signed in deletes what the router stored of ${bucket}`);
}
