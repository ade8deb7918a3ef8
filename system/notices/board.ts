import { and, desc, eq, isNull, lt, or } from "drizzle-orm";
import type { Bus } from "../core/events/bus.ts";
import { diskError } from "../core/errors/disk_error.ts";
import type { NoticeBoard } from "../core/events/notice.ts";
import { notFound } from "../core/errors/problem.ts";
import type { Database } from "../core/store/open.ts";
import { notices } from "../core/store/schema/notices.ts";
import type { Notice } from "./schema.ts";

/** Resolved notices are kept this long, in milliseconds (90 days). */
const RETENTION_MS = 90 * 24 * 3600 * 1000;

/** Dependencies of {@link Notices}. */
export interface NoticesOptions {
  readonly db: Database;
  readonly bus: Bus;
  /** Wall clock, unix milliseconds. */
  readonly now?: () => number;
  readonly randomId?: () => string;
}

/**
 * Notices that need attention, kept in the store. A new one is published as `alert:<kind>`, each change
 * as `notices`. On a full disk only the events are published, and callers continue.
 */
export class Notices implements NoticeBoard {
  readonly #db: Database;
  readonly #bus: Bus;
  readonly #now: () => number;
  readonly #randomId: () => string;
  /** Details that could not be stored, by kind and subject: each is published once. */
  readonly #unstored = new Map<string, string>();

  constructor(options: NoticesOptions) {
    this.#db = options.db;
    this.#bus = options.bus;
    this.#now = options.now ?? Date.now;
    this.#randomId = options.randomId ?? (() => crypto.randomUUID());
  }

  /** `data.subject` distinguishes notices of one kind; an open one with the same subject is updated. */
  async open(
    kind: string,
    detail: string,
    data: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const subject = String(data.subject ?? "");
    const place = JSON.stringify([kind, subject]);
    try {
      const id = await this.#store({ kind, subject, detail, data });
      this.#unstored.delete(place);
      if (id === null) return;
      this.#bus.publish("notices", { id, kind, resolved: false });
    } catch (error) {
      if (diskError(error) === null) throw error;
      if (this.#unstored.get(place) === detail) return;
      this.#unstored.set(place, detail);
    }
    this.#bus.publish(`alert:${kind}`, { detail, ...data });
  }

  /** The notice's ID; null when nothing changed. */
  async #store(
    { kind, subject, detail, data }: Pick<Notice, "kind" | "detail" | "data"> & {
      readonly subject: string;
    },
  ): Promise<string | null> {
    const at = this.#now();
    const [known] = await this.#db.select().from(notices).where(isOpen(kind, subject));
    if (known !== undefined) {
      await this.#db.update(notices)
        .set({ detail, data, lastAt: at, count: known.count + 1 })
        .where(eq(notices.id, known.id));
      // An event for every repetition would hide what is new.
      return known.detail === detail ? null : known.id;
    }
    const id = this.#randomId();
    await this.#db.batch([
      this.#db.insert(notices).values({
        id,
        kind,
        subject,
        detail,
        data,
        at,
        lastAt: at,
        count: 1,
      }),
      this.#db.delete(notices).where(lt(notices.resolvedAt, at - RETENTION_MS)),
    ]);
    return id;
  }

  async settle(kind: string, subject?: string): Promise<void> {
    const open = await this.#resolveOpen(kind, subject);
    for (const { id } of open) this.#bus.publish("notices", { id, kind, resolved: true });
  }

  /** What was open; none where the disk does not let it be settled, which stays open. */
  async #resolveOpen(kind: string, subject?: string): Promise<readonly { readonly id: string }[]> {
    try {
      return await this.#db.update(notices)
        .set({ resolvedAt: this.#now(), resolvedBy: "sluice" })
        .where(isOpen(kind, subject))
        .returning({ id: notices.id });
    } catch (error) {
      if (diskError(error) === null) throw error;
      return [];
    }
  }

  /** Newest first, from behind the notice `after`; resolved ones only when `all`. */
  async list(
    options: { readonly limit: number; readonly after?: string; readonly all?: boolean },
  ): Promise<{ readonly items: readonly Notice[]; readonly next: string | null }> {
    const from = options.after === undefined ? undefined : await this.#get(options.after);
    const rows = await this.#db.select().from(notices)
      .where(and(
        options.all ? undefined : isNull(notices.resolvedAt),
        from === undefined
          ? undefined
          : or(lt(notices.at, from.at), and(eq(notices.at, from.at), lt(notices.id, from.id))),
      ))
      .orderBy(desc(notices.at), desc(notices.id)).limit(options.limit + 1);
    const items = rows.slice(0, options.limit).map(({ subject: _, ...notice }) => notice);
    return { items, next: rows.length > options.limit ? items.at(-1)?.id ?? null : null };
  }

  /** Closes a notice. One that is closed already stays as it is. Throws Problem 404. */
  async resolve(id: string, by: string): Promise<void> {
    const notice = await this.#get(id);
    if (notice.resolvedAt !== null) return;
    await this.#db.update(notices)
      .set({ resolvedAt: this.#now(), resolvedBy: by }).where(eq(notices.id, id));
    this.#bus.publish("notices", { id, kind: notice.kind, resolved: true });
  }

  async #get(id: string): Promise<typeof notices.$inferSelect> {
    const [notice] = await this.#db.select().from(notices).where(eq(notices.id, id));
    if (notice === undefined) throw notFound("There is no such notice");
    return notice;
  }
}

function isOpen(kind: string, subject?: string) {
  return and(
    eq(notices.kind, kind),
    isNull(notices.resolvedAt),
    subject === undefined ? undefined : eq(notices.subject, subject),
  );
}
