import { eq } from "drizzle-orm";
import { notFound } from "../core/errors/problem.ts";
import { accessSessions } from "../core/store/schema/access.ts";
import { base64url, type RandomBytes, sha256 } from "./digest.ts";
import type { SessionView } from "./schema.ts";
import type { AccessDatabase } from "./store.ts";

/** Milliseconds that a session lasts without use, and in all. */
export const SESSION = { idle: 12 * 3600_000, absolute: 7 * 24 * 3600_000 } as const;

const MAX_PER_USER = 32;
/** Milliseconds between two writes of a session's last use. */
const SEEN_INTERVAL_MS = 60_000;

type Row = typeof accessSessions.$inferSelect;

/** A session, with its end and last use on the monotonic clock. */
interface LiveSession extends Row {
  readonly ends: number;
  readonly used: number;
  /** From an earlier run and not used since: how long the router was off, only its clock can tell. */
  readonly restored: boolean;
}

/** Dependencies of {@link Sessions}. Times are unix milliseconds. */
export interface SessionsOptions {
  readonly db: AccessDatabase;
  /** Called when a write fails: on a full disk sign-in must still work. */
  readonly onWriteError: (error: unknown) => void;
  /** The best guess of the time. */
  readonly now: () => number;
  readonly wall: () => number;
  /** The time that it is at least. */
  readonly surely: () => number;
  /** Milliseconds of a monotonic clock, by which sessions expire. */
  readonly steady: () => number;
  readonly random: RandomBytes;
}

/** User and browser of a new session. */
export interface SessionStart {
  readonly user: string;
  readonly source: string;
  /** The browser's `User-Agent`. */
  readonly agent: string;
  /** A session of one transport is never valid on the other. */
  readonly tls: boolean;
  /** Passkey that opened it, where no password did. */
  readonly passkey?: string;
  /** API token that was handed out with it. */
  readonly token?: string;
}

/** A new session; `secret` goes into the cookie and nowhere else. */
export interface OpenedSession {
  readonly id: string;
  readonly secret: string;
  /** Unix milliseconds. */
  readonly expires: number;
}

/** Browser sessions, stored as hashes; held in memory and written through. */
export class Sessions {
  readonly #options: SessionsOptions;
  /** By hash of the cookie's value. */
  readonly #rows: Map<string, LiveSession>;

  private constructor(options: SessionsOptions, rows: readonly Row[]) {
    this.#options = options;
    const now = options.now(), steady = options.steady();
    this.#rows = new Map(rows.map((row) => [row.hash, {
      ...row,
      ends: steady + row.expires - now,
      used: steady - Math.max(0, now - row.lastSeen),
      restored: true,
    }]));
  }

  static async open(options: SessionsOptions): Promise<Sessions> {
    const rows = await options.db.select().from(accessSessions).orderBy(accessSessions.createdAt);
    const sessions = new Sessions(options, await inThePast(rows, options));
    await sessions.#prune((row) => sessions.#hasEnded(row));
    return sessions;
  }

  async start(start: SessionStart): Promise<OpenedSession> {
    const now = Math.floor(this.#options.now());
    const secret = base64url(this.#options.random(32));
    const row: Row = {
      ...start,
      passkey: start.passkey ?? null,
      token: start.token ?? null,
      agent: start.agent.slice(0, 200),
      id: base64url(this.#options.random(9)),
      hash: sha256(secret),
      createdAt: now,
      lastSeen: now,
      expires: now + SESSION.absolute,
    };
    const own = [...this.#rows.values()].filter(({ user }) => user === start.user);
    const surplus = new Set(own.slice(0, Math.max(0, own.length - MAX_PER_USER + 1)));
    await this.#prune((old) => surplus.has(old) || this.#hasEnded(old));
    const used = this.#options.steady();
    const ends = used + SESSION.absolute;
    this.#rows.set(row.hash, { ...row, used, ends, restored: false });
    await this.#options.db.insert(accessSessions).values(row).catch(this.#options.onWriteError);
    return { id: row.id, secret, expires: row.expires };
  }

  /** The session of a cookie on this transport; null when there is none or it has ended. */
  async find(
    secret: string,
    tls: boolean,
  ): Promise<{ readonly id: string; readonly user: string } | null> {
    const row = this.#rows.get(sha256(secret));
    if (!row || row.tls !== tls) return null;
    if (!this.#isLive(row)) {
      await this.#prune((old) => old === row && this.#hasEnded(row));
      return null;
    }
    const used = this.#options.steady();
    if (row.restored || used - row.used >= SEEN_INTERVAL_MS) {
      const now = Math.floor(this.#options.now());
      // Its end is updated as well: the clock may have been set.
      const seen = { lastSeen: now, expires: Math.floor(now + row.ends - used) };
      this.#rows.set(row.hash, { ...row, ...seen, used, restored: false });
      await this.#options.db.update(accessSessions).set(seen)
        .where(eq(accessSessions.id, row.id)).catch(this.#options.onWriteError);
    }
    return { id: row.id, user: row.user };
  }

  /** True while the session of this ID is valid. */
  holds(id: string): boolean {
    return [...this.#rows.values()].some((row) => row.id === id && this.#isLive(row));
  }

  list(user: string, current: string | null): SessionView[] {
    return [...this.#rows.values()]
      .filter((row) => row.user === user && this.#isLive(row))
      .map((row) => ({
        id: row.id,
        user: row.user,
        createdAt: row.createdAt,
        lastSeen: row.lastSeen,
        expires: row.expires,
        source: row.source,
        agent: row.agent,
        tls: row.tls,
        passkey: row.passkey,
        current: row.id === current,
      }))
      .reverse();
  }

  /** Ends one session of the user; returns the token issued with it. Throws Problem 404. */
  async remove(user: string, id: string): Promise<string | null> {
    const [ended] = await this.#end((row) => row.user === user && row.id === id);
    if (ended === undefined) throw notFound("There is no such session");
    return ended.token;
  }

  /** Ends every session that a passkey opened. */
  async endPasskey(passkey: string): Promise<void> {
    await this.#end((row) => row.passkey === passkey);
  }

  /** Ends every session of the user; may be repeated where a write failed. */
  async endAll(user: string): Promise<void> {
    for (const [hash, row] of this.#rows) if (row.user === user) this.#rows.delete(hash);
    await this.#options.db.delete(accessSessions).where(eq(accessSessions.user, user));
  }

  #isLive(row: LiveSession): boolean {
    const { now, wall } = this.#options;
    return !this.#hasEnded(row) && !(row.restored && isOver(row, Math.max(now(), wall())));
  }

  /** True when it has ended for good; by a clock that may be ahead, one is only not accepted for now. */
  #hasEnded(row: LiveSession): boolean {
    const { steady, surely } = this.#options;
    const now = steady();
    return now >= row.ends || now - row.used >= SESSION.idle ||
      row.restored && isOver(row, surely());
  }

  /** Removes expired sessions; where that cannot be stored, the next start removes them. */
  async #prune(which: (row: LiveSession) => boolean): Promise<void> {
    await this.#end(which).catch(this.#options.onWriteError);
  }

  async #end(which: (row: LiveSession) => boolean): Promise<readonly Row[]> {
    const rows = [...this.#rows.values()].filter(which);
    // Out of memory first: none may be accepted while the database is being written.
    for (const row of rows) this.#rows.delete(row.hash);
    for (const row of rows) {
      await this.#options.db.delete(accessSessions).where(eq(accessSessions.id, row.id));
    }
    return rows;
  }
}

/**
 * Stored sessions as the clock tells now: one that was used in the future, by a clock that ran ahead,
 * is written as used now, or it would be as new after every restart until then.
 */
async function inThePast(
  rows: readonly Row[],
  { db, now, onWriteError }: SessionsOptions,
): Promise<readonly Row[]> {
  const at = Math.floor(now());
  return await Promise.all(rows.map(async (row) => {
    if (row.lastSeen <= at && row.expires <= at + SESSION.absolute) return row;
    const seen = {
      lastSeen: Math.min(row.lastSeen, at),
      expires: Math.min(row.expires, at + SESSION.absolute),
    };
    await db.update(accessSessions).set(seen).where(eq(accessSessions.id, row.id))
      .catch(onWriteError);
    return { ...row, ...seen };
  }));
}

/** True when a stored session is over at a time, in unix milliseconds. */
function isOver({ expires, lastSeen }: Row, at: number): boolean {
  return at >= expires || at - lastSeen >= SESSION.idle;
}
