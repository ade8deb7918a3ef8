import { asc, eq, gt, isNotNull, like, lte, sql } from "drizzle-orm";
import type { Store } from "../../core/store/open.ts";
import {
  type Backlog,
  type Correction,
  MAX_COUNTED,
  type Request,
  type Unsent,
} from "./messages.ts";
import * as tables from "./tables.ts";

const { corrections, events, marks } = tables;

type Database = Store<typeof tables>["db"];

/** Name of the mark of the id up to which retention has deleted events. */
export const GONE = "gone";
/** Beginning of the marks of servers, by their names: id of the last event that each has. */
const SENT = "sent ";
/** Corrections that wait at most; the oldest give way. */
const MAX_CORRECTIONS = 10_000;

/** The value of a mark; 0 where there is none. */
export async function markOf(db: Database, name: string): Promise<number> {
  const [row] = await db.select().from(marks).where(eq(marks.name, name));
  return row?.value ?? 0;
}

/** What a server does not have yet: events, and what clients changed of those that it has. */
export class ServerBacklog {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** What comes after the last event that a server has, oldest first. From here on changes are noted. */
  async unsent(
    { server, rows, characters }: Extract<Request, { type: "unsent" }>,
  ): Promise<Unsent> {
    const name = `${SENT}${server}`;
    const from = await markOf(this.#db, name);
    if (from === 0) {
      await this.#db.insert(marks).values({ name, value: 0 }).onConflictDoNothing();
    }
    const next = await this.#db.select().from(events).where(gt(events.id, from))
      .orderBy(asc(events.id)).limit(rows);
    let size = 0;
    const end = next.findIndex(({ data }, at) => (size += data.length) > characters && at > 0);
    const missed = from > 0 && await markOf(this.#db, GONE) > from;
    return { rows: end < 0 ? next : next.slice(0, end), missed };
  }

  /** Notes the last event that a server has. */
  async sent(server: string, id: number): Promise<void> {
    await this.#db.insert(marks).values({ name: `${SENT}${server}`, value: id })
      .onConflictDoUpdate({ target: marks.name, set: { value: id } });
  }

  /** Notes that an event is changed or deleted, or all of a bucket, where a server may have it. */
  async correct(
    topic: string,
    { event, kind }: Pick<Correction, "event" | "kind">,
  ): Promise<void> {
    const [server] = await this.#db.select().from(marks)
      .where(like(marks.name, `${SENT}%`)).limit(1);
    if (server === undefined) return;
    const [{ id }] = await this.#db.insert(corrections).values({ topic, event, kind })
      .returning({ id: corrections.id }) as [{ id: number }];
    await this.#db.delete(corrections).where(lte(corrections.id, id - MAX_CORRECTIONS));
  }

  /** The first corrections, with what their events hold now. */
  async corrections(rows: number): Promise<readonly Correction[]> {
    return await this.#db.select({
      ...{ id: corrections.id, topic: corrections.topic, event: corrections.event },
      ...{ kind: corrections.kind, data: events.data },
    }).from(corrections).leftJoin(events, eq(events.id, corrections.event))
      .orderBy(asc(corrections.id)).limit(rows);
  }

  /** Forgets the corrections up to this one. */
  async corrected(id: number): Promise<void> {
    await this.#db.delete(corrections).where(lte(corrections.id, id));
  }

  /** How much waits for a server. */
  async backlog(server: string): Promise<Backlog> {
    const later = this.#db.select({ at: events.at }).from(events)
      .where(gt(events.id, await markOf(this.#db, `${SENT}${server}`)))
      .orderBy(asc(events.id)).limit(MAX_COUNTED).as("later");
    const [found] = await this.#db.select({
      waiting: sql<number>`count(*)`,
      oldestAt: sql<number | null>`min(${later.at})`,
    }).from(later).where(isNotNull(later.at));
    const [changed] = await this.#db.select({ waiting: sql<number>`count(*)` }).from(corrections);
    return {
      waiting: Math.min((found?.waiting ?? 0) + (changed?.waiting ?? 0), MAX_COUNTED),
      oldestAt: found?.oldestAt ?? 0,
    };
  }
}
