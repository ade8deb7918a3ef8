import { and, desc, eq, inArray, isNull, lt, lte, or } from "drizzle-orm";
import type { Bus } from "../core/events/bus.ts";
import { diskError } from "../core/errors/disk_error.ts";
import { NOTICE_RETENTION_MS, type NoticeRecord } from "../core/events/notice.ts";
import { notFound } from "../core/errors/problem.ts";
import type { Database } from "../core/store/open.ts";
import { notices } from "../core/store/schema/notices.ts";
import type { Notice } from "./schema.ts";

/** Dependencies of {@link Notices}. */
export interface NoticesOptions {
  readonly db: Database;
  readonly bus: Bus;
  /** Wall clock, unix milliseconds. */
  readonly now?: () => number;
  readonly randomId?: () => string;
}

/** Rows that wait for room on the disk at most; the oldest give way. */
const MAX_UNWRITTEN = 500;

type Row = typeof notices.$inferSelect;

/** A notice that waits to be opened. */
interface Opening {
  readonly kind: string;
  readonly detail: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly times: number;
  readonly announce: () => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Notices that need attention, kept in the store. A new one is published as `alert:<kind>`, each change
 * as `notices`. What a full disk does not take is kept in memory, listed and resolved all the same, and
 * written with the next change that finds room.
 */
export class Notices implements NoticeRecord {
  readonly #db: Database;
  readonly #bus: Bus;
  readonly #now: () => number;
  readonly #randomId: () => string;
  /** By their IDs: rows that the store lacks, or has in an older state. */
  readonly #unwritten = new Map<string, Row>();
  #turn: Promise<unknown> = Promise.resolve();
  /** Notices that are opened together, in the turn that waits; null: the next one begins a turn. */
  #opening: Opening[] | null = null;

  constructor(options: NoticesOptions) {
    this.#db = options.db;
    this.#bus = options.bus;
    this.#now = options.now ?? Date.now;
    this.#randomId = options.randomId ?? (() => crypto.randomUUID());
  }

  /** `data.subject` distinguishes notices of one kind; an open one with the same subject is updated. */
  open(
    kind: string,
    detail: string,
    data: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    return this.#add(kind, { detail, data, times: 1 }, () => {
      this.#bus.publish(`alert:${kind}`, { ...alertOf(kind, detail, data), detail, ...data });
    });
  }

  /** Opens a notice about what is published already, or counts it that many times again. */
  count(
    kind: string,
    detail: string,
    { data, times }: { readonly data: Readonly<Record<string, unknown>>; readonly times: number },
  ): Promise<void> {
    return this.#add(kind, { detail, data, times }, () => {});
  }

  #add(
    kind: string,
    { detail, data, times }: {
      readonly detail: string;
      readonly data: Readonly<Record<string, unknown>>;
      readonly times: number;
    },
    announce: () => void,
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const one = { kind, detail, data, times, announce, resolve, reject };
    if (this.#opening !== null) this.#opening.push(one);
    else {
      const together: Opening[] = [one];
      void this.#inTurn(() => this.#openAll(together));
      this.#opening = together;
    }
    return promise;
  }

  /** Opens notices by one write, since each waits for the disk. Never throws. */
  async #openAll(together: readonly Opening[]): Promise<void> {
    if (this.#opening === together) this.#opening = null;
    const rows = new Map<string, Row>();
    const announcements: (() => void)[] = [];
    try {
      const open = await this.#openAmong(together);
      for (const { kind, detail, data, times, announce } of together) {
        const at = this.#now(), key = keyOf({ kind, subject: subjectOf(data) });
        const known = rows.get(key) ?? open.get(key);
        const row = known === undefined ? this.#begun(kind, at, data) : known;
        rows.set(key, { ...row, detail, data, lastAt: at, count: row.count + times });
        // An event for every repetition would hide what is new.
        if (known?.detail === detail) continue;
        announcements.push(() => {
          this.#bus.publish("notices", { id: row.id, kind, resolved: false });
          announce();
        });
      }
      await this.#save([...rows.values()]);
      for (const announce of announcements) announce();
      for (const { resolve } of together) resolve();
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
  }

  /** Those of these notices that are open already, read at once. */
  async #openAmong(together: readonly Opening[]): Promise<ReadonlyMap<string, Row>> {
    const kinds = [...new Set(together.map(({ kind }) => kind))];
    const subjects = [...new Set(together.map(({ data }) => subjectOf(data)))];
    const written = await this.#db.select().from(notices).where(and(
      inArray(notices.kind, kinds),
      inArray(notices.subject, subjects),
      isNull(notices.resolvedAt),
    ));
    const rows = this.#withUnwritten(written, (row) => row.resolvedAt === null);
    // The first of several is the one that is counted.
    return new Map(rows.toReversed().map((row) => [keyOf(row), row]));
  }

  #begun(kind: string, at: number, data: Readonly<Record<string, unknown>>): Row {
    const subject = subjectOf(data);
    const never = { resolvedAt: null, resolvedBy: null, snoozedUntil: null };
    const id = this.#randomId();
    return { id, kind, subject, detail: "", data, at, lastAt: at, count: 0, ...never };
  }

  settle(kind: string, subject?: string): Promise<void> {
    return this.#inTurn(async () => {
      const open = await this.#openOnes(kind, subject);
      const resolved = { resolvedAt: this.#now(), resolvedBy: "sluice" };
      await this.#save(open.map((row) => ({ ...row, ...resolved })));
      for (const { id } of open) this.#bus.publish("notices", { id, kind, resolved: true });
    });
  }

  /** Newest first, from behind the notice `after`; resolved and snoozed ones only when `all`. */
  async list(
    options: { readonly limit: number; readonly after?: string; readonly all?: boolean },
  ): Promise<{ readonly items: readonly Notice[]; readonly next: string | null }> {
    const from = options.after === undefined ? undefined : await this.#get(options.after);
    const now = this.#now();
    const written = await this.#db.select().from(notices)
      .where(and(
        options.all ? undefined : isNull(notices.resolvedAt),
        options.all ? undefined : or(isNull(notices.snoozedUntil), lte(notices.snoozedUntil, now)),
        from === undefined
          ? undefined
          : or(lt(notices.at, from.at), and(eq(notices.at, from.at), lt(notices.id, from.id))),
      ))
      .orderBy(desc(notices.at), desc(notices.id))
      .limit(options.limit + 1 + this.#unwritten.size);
    const unwritten = [...this.#unwritten.values()].filter((row) =>
      (options.all || (row.resolvedAt === null && (row.snoozedUntil ?? 0) <= now)) &&
      (from === undefined || newerFirst(from, row) < 0)
    );
    const rows = [...written.filter(({ id }) => !this.#unwritten.has(id)), ...unwritten]
      .sort(newerFirst);
    const items = rows.slice(0, options.limit).map(({ subject: _, ...notice }) => notice);
    return { items, next: rows.length > options.limit ? items.at(-1)?.id ?? null : null };
  }

  /** Closes a notice. One that is closed already stays as it is. Throws Problem 404. */
  resolve(id: string, by: string): Promise<void> {
    return this.#inTurn(async () => {
      const notice = await this.#get(id);
      if (notice.resolvedAt !== null) return;
      await this.#save([{ ...notice, resolvedAt: this.#now(), resolvedBy: by }]);
      this.#bus.publish("notices", { id, kind: notice.kind, resolved: true });
    });
  }

  /** Opens a closed notice again, as if nobody had closed it. Throws Problem 404. */
  reopen(id: string): Promise<void> {
    return this.#inTurn(async () => {
      const notice = await this.#get(id);
      if (notice.resolvedAt === null) return;
      await this.#save([{ ...notice, resolvedAt: null, resolvedBy: null }]);
      this.#bus.publish("notices", { id, kind: notice.kind, resolved: false });
    });
  }

  /** Leaves a notice out of the list for so many milliseconds; 0 lists it at once. Throws Problem 404. */
  snooze(id: string, milliseconds: number): Promise<void> {
    return this.#inTurn(async () => {
      const notice = await this.#get(id);
      const until = milliseconds === 0 ? null : this.#now() + milliseconds;
      await this.#save([{ ...notice, snoozedUntil: until }]);
      this.#bus.publish("notices", { id, kind: notice.kind, resolved: notice.resolvedAt !== null });
    });
  }

  /** One notice. Throws Problem 404. */
  async get(id: string): Promise<Notice> {
    const { subject: _, ...notice } = await this.#get(id);
    return notice;
  }

  async #get(id: string): Promise<Row> {
    const unwritten = this.#unwritten.get(id);
    if (unwritten !== undefined) return unwritten;
    const [notice] = await this.#db.select().from(notices).where(eq(notices.id, id));
    if (notice === undefined) throw notFound("There is no such notice");
    return notice;
  }

  async #openOnes(kind: string, subject?: string): Promise<readonly Row[]> {
    const written = await this.#db.select().from(notices).where(and(
      eq(notices.kind, kind),
      isNull(notices.resolvedAt),
      subject === undefined ? undefined : eq(notices.subject, subject),
    ));
    return this.#withUnwritten(written, (row) =>
      row.kind === kind && row.resolvedAt === null &&
      (subject === undefined || row.subject === subject));
  }

  /** Rows of the store in the state that they have by now, and those like them that wait to be written. */
  #withUnwritten(written: readonly Row[], isLike: (row: Row) => boolean): readonly Row[] {
    return [
      ...written.filter(({ id }) => !this.#unwritten.has(id)),
      ...[...this.#unwritten.values()].filter(isLike),
    ];
  }

  async subjects(kind: string): Promise<ReadonlyMap<string, boolean>> {
    const written = await this.#db.select().from(notices).where(eq(notices.kind, kind));
    const subjects = new Map<string, boolean>();
    for (const row of this.#withUnwritten(written, (row) => row.kind === kind)) {
      const { subject, resolvedAt } = row;
      subjects.set(subject, resolvedAt === null || (subjects.get(subject) ?? false));
    }
    return subjects;
  }

  /** Writes rows, those that wait among them; where the disk takes none they wait. */
  async #save(changed: readonly Row[]): Promise<void> {
    for (const row of changed) this.#unwritten.set(row.id, row);
    const rows = [...this.#unwritten.values()];
    const [first, ...others] = rows.map((row) =>
      this.#db.insert(notices).values(row).onConflictDoUpdate({ target: notices.id, set: row })
    );
    if (first === undefined) return;
    const old = lt(notices.resolvedAt, this.#now() - NOTICE_RETENTION_MS);
    try {
      await this.#db.batch([first, ...others, this.#db.delete(notices).where(old)]);
      for (const row of rows) {
        if (this.#unwritten.get(row.id) === row) this.#unwritten.delete(row.id);
      }
    } catch (error) {
      if (diskError(error) === null) {
        for (const { id } of changed) this.#unwritten.delete(id);
        throw error;
      }
      for (const id of [...this.#unwritten.keys()].slice(0, -MAX_UNWRITTEN)) {
        this.#unwritten.delete(id);
      }
    }
  }

  /** One after the other: what is read is what is then written. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    // What is opened from now on comes after this.
    this.#opening = null;
    const next = this.#turn.then(work);
    this.#turn = next.catch(() => {});
    return next;
  }
}

/** What a notice is about; "" where its kind says it all. */
function subjectOf(data: Readonly<Record<string, unknown>>): string {
  return String(data.subject ?? "");
}

function keyOf({ kind, subject }: Pick<Row, "kind" | "subject">): string {
  return JSON.stringify([kind, subject]);
}

function newerFirst(a: Row, b: Row): number {
  return b.at - a.at || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}

/** A notice in the form of an alert, as existing clients show it. */
function alertOf(kind: string, detail: string, data: Readonly<Record<string, unknown>>) {
  const text = kind.replaceAll("-", " ");
  return {
    Topic: kind,
    RuleId: "",
    NotificationType: "warning",
    Title: text.charAt(0).toUpperCase() + text.slice(1),
    Body: detail,
    Event: data,
    State: "",
  };
}
