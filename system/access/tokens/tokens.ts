import { eq } from "drizzle-orm";
import { conflict, invalid, notFound, sentence } from "../../core/errors/problem.ts";
import { accessTokens, accessTokenUses } from "../../core/store/schema/access.ts";
import { base64url, type RandomBytes, sha256 } from "../digest.ts";
import type { Token, TokenRequest } from "../schema.ts";
import { checkScopes } from "./scopes.ts";
import { type AccessDatabase, recordDeletedDigest } from "../store.ts";

const MAX_TOKENS = 1000;
/** A token of a sign-in may be so far ahead: clocks are set by small amounts all the time. */
const TOLERANCE_MS = 120_000;
const SHOWN_LENGTH = 8;
/** Milliseconds between two writes of a token's last use. */
const USE_INTERVAL_MS = 60_000;
/** Tokens of passkey sign-ins that one user may have. */
const MAX_LOGIN_TOKENS = 32;
/** Name prefix of such a token, as existing clients know it. */
const LOGIN_PREFIX = "webauthn:";

type Row = typeof accessTokens.$inferSelect;

/** A valid token that a request presented. */
export interface KnownToken {
  readonly id: string;
  readonly name: string;
  /** Empty: everything. */
  readonly scopes: readonly string[];
  /** Of a token of a plugin's page: the user who opened the page; null: a token did. */
  readonly user?: string | null | undefined;
  /** Of such a token: whether who opened the page is still signed in. */
  readonly isSignedIn?: () => boolean;
}

/** Short-lived tokens of plugin pages, which are known by their value alone. */
export interface PageTokens {
  /** The token of this value; none where it has ended. */
  find(token: string): readonly KnownToken[];
  /** True while the token of this id is valid. */
  holds(id: string): boolean;
}

/** A deleted token, and the SHA-256 of its value. */
export interface RemovedToken {
  readonly token: Token;
  readonly hash: string;
}

/** Dependencies of {@link Tokens}. Times are unix milliseconds. */
export interface TokensOptions {
  readonly db: AccessDatabase;
  /** Called when a write fails: on a full disk tokens must still work. */
  readonly onWriteError: (error: unknown) => void;
  /** The best guess of the time. */
  readonly now: () => number;
  readonly wall: () => number;
  /** The time that it is at least. */
  readonly surely: () => number;
  readonly random: RandomBytes;
}

/** The API tokens, stored as hashes; held in memory and written through. */
export class Tokens {
  readonly #options: TokensOptions;
  readonly #rows: Map<string, Row>;
  /** Last uses by ID. */
  readonly #uses: Map<string, number>;

  private constructor(
    options: TokensOptions,
    rows: readonly Row[],
    uses: readonly (typeof accessTokenUses.$inferSelect)[],
  ) {
    this.#options = options;
    this.#rows = new Map(rows.map((row) => [row.id, row]));
    this.#uses = new Map(uses.map(({ token, at }) => [token, at]));
  }

  static async open(options: TokensOptions): Promise<Tokens> {
    const { db } = options;
    const rows = await db.select().from(accessTokens).orderBy(accessTokens.createdAt);
    return new Tokens(options, rows, await db.select().from(accessTokenUses));
  }

  /** Every unexpired token of this value: a file may list one more than once. */
  find(token: string): readonly KnownToken[] {
    if (token === "") return [];
    const hash = sha256(token);
    const found = [...this.#rows.values()].filter((row) => row.hash === hash && this.#isLive(row));
    for (const { id } of found) this.#markUsed(id);
    return found;
  }

  /** Does not wait for the store: what is lost of it is a minute. */
  #markUsed(id: string): void {
    const at = Math.floor(this.#options.now());
    const last = this.#uses.get(id);
    if (last !== undefined && Math.abs(at - last) < USE_INTERVAL_MS) return;
    this.#uses.set(id, at);
    const { db, onWriteError } = this.#options;
    void db.insert(accessTokenUses).values({ token: id, at })
      .onConflictDoUpdate({ target: accessTokenUses.token, set: { at } })
      .then(() => {}, onWriteError);
  }

  /** True while the token of this id is stored and has not expired. */
  holds(id: string): boolean {
    const row = this.#rows.get(id);
    return row !== undefined && this.#isLive(row);
  }

  /**
   * Ends for good what has surely expired, so that no clock that is set back revives it; may be called
   * often.
   */
  async endExpired(): Promise<void> {
    const { db, surely, onWriteError } = this.#options;
    const seconds = surely() / 1000;
    for (const row of [...this.#rows.values()]) {
      if (row.ended || row.expire === 0 || row.expire > seconds) continue;
      this.#rows.set(row.id, { ...row, ended: true });
      await db.update(accessTokens).set({ ended: true }).where(eq(accessTokens.id, row.id))
        .catch(onWriteError);
    }
  }

  list(): Token[] {
    return [...this.#rows.values()].map((row) => this.#view(row));
  }

  /** Creates a token of 256 random bits and returns it in full this once. Throws Problem 400, 409. */
  async create(request: TokenRequest): Promise<Token> {
    checkScopes(request.ScopedPaths);
    if (request.Expire !== 0 && request.Expire <= this.#latest() / 1000) {
      throw invalid("/Expire", "This time has passed; write later unix seconds, or 0 for never");
    }
    const token = base64url(this.#options.random(32));
    const row = await this.#add({ ...request, Token: token });
    return { ...this.#view(row), Token: token };
  }

  /**
   * Imports the entries of one token value, which replace those stored for it. Returns whether
   * anything changed. Throws Problem 409.
   */
  async adopt(token: string, entries: readonly TokenRequest[]): Promise<boolean> {
    const hash = sha256(token);
    const stored = [...this.#rows.values()].filter((row) => row.hash === hash);
    const essence = (name: string, expire: number, scopes: readonly string[]) =>
      JSON.stringify([name, expire, scopes]);
    const before = stored.map((row) => essence(row.name, row.expire, row.scopes)).sort();
    const after = entries.map((e) => essence(e.Name, e.Expire, e.ScopedPaths)).sort();
    if (JSON.stringify(before) === JSON.stringify(after)) return false;
    await this.#drop(stored);
    for (const entry of entries) await this.#add({ ...entry, Token: token });
    return true;
  }

  /** Deletes the requested token. Throws Problem 400, 404, 409. */
  async remove(request: { readonly Token: string; readonly ID: string }): Promise<RemovedToken> {
    const rows = this.#matching(request);
    const [first] = rows;
    if (!first) throw notFound("There is no such token");
    await recordDeletedDigest(this.#options.db, first.hash, this.#options.now());
    await this.#drop(rows);
    return { token: this.#view(first), hash: first.hash };
  }

  /** Deletes the tokens of these SHA-256 values, which a file names no more; returns them. */
  async revoke(hashes: readonly string[]): Promise<readonly Token[]> {
    const rows = [...this.#rows.values()].filter(({ hash }) => hashes.includes(hash));
    await this.#drop(rows);
    return rows.map((row) => this.#view(row));
  }

  /** The SHA-256 of each token that has one of these IDs. */
  hashesOf(ids: readonly string[]): readonly string[] {
    return ids.flatMap((id) => this.#rows.get(id)?.hash ?? []);
  }

  /**
   * Creates the token of a passkey sign-in; removes expired ones of the user, and the oldest beyond
   * {@link MAX_LOGIN_TOKENS}. Throws Problem 409.
   */
  async createLogin(user: string, expire: number): Promise<Token> {
    const own = this.#logins(user);
    const surplus = own.slice(0, Math.max(0, own.length - MAX_LOGIN_TOKENS + 1));
    await this.#drop(own.filter((row) => !this.#isLive(row) || surplus.includes(row)));
    return await this.create({ Name: loginName(user), Expire: expire, ScopedPaths: [] });
  }

  /** Deletes every token of the user's passkey sign-ins. */
  async dropLogins(user: string): Promise<void> {
    await this.#drop(this.#logins(user));
  }

  /** Deletes those of the tokens that come from a passkey sign-in; returns whether any did. */
  async dropLogin(ids: readonly string[]): Promise<boolean> {
    const rows = ids.flatMap((id) => this.#rows.get(id) ?? [])
      .filter(({ name }) => name.startsWith(LOGIN_PREFIX));
    await this.#drop(rows);
    return rows.length > 0;
  }

  #logins(user: string): readonly Row[] {
    return [...this.#rows.values()].filter(({ name }) => name === loginName(user));
  }

  #isLive(row: Row): boolean {
    // The end of one was counted from a clock that ran ahead, and would be as far ahead.
    const isAhead = row.name.startsWith(LOGIN_PREFIX) &&
      row.createdAt > this.#options.now() + TOLERANCE_MS;
    return !row.ended && !isAhead && (row.expire === 0 || row.expire > this.#latest() / 1000);
  }

  /** By a clock that runs ahead a token is refused, but only for as long as it does. */
  #latest(): number {
    return Math.max(this.#options.now(), this.#options.wall());
  }

  async #add(token: TokenRequest & { readonly Token: string }): Promise<Row> {
    if (this.#rows.size >= MAX_TOKENS) {
      throw conflict(
        sentence("There are {limit} tokens already; delete unused ones first", {
          limit: MAX_TOKENS,
        }),
      );
    }
    const row: Row = {
      id: base64url(this.#options.random(9)),
      name: token.Name,
      hash: sha256(token.Token),
      shown: shorten(token.Token),
      scopes: token.ScopedPaths,
      expire: token.Expire,
      createdAt: Math.floor(this.#options.now()),
      ended: false,
    };
    await this.#options.db.insert(accessTokens).values(row);
    this.#rows.set(row.id, row);
    return row;
  }

  async #drop(rows: readonly Row[]): Promise<void> {
    // Out of memory first: none may be accepted while the database is being written.
    for (const row of rows) this.#rows.delete(row.id);
    const { db } = this.#options;
    for (const { id } of rows) {
      this.#uses.delete(id);
      await db.delete(accessTokens).where(eq(accessTokens.id, id));
      await db.delete(accessTokenUses).where(eq(accessTokenUses.token, id));
    }
  }

  #view(row: Row): Token {
    return {
      Name: row.name,
      Token: `${row.shown}…`,
      ID: row.id,
      Expire: row.expire,
      ScopedPaths: [...row.scopes],
      LastUsed: Math.floor((this.#uses.get(row.id) ?? 0) / 1000),
    };
  }

  #matching(request: { readonly Token: string; readonly ID: string }): readonly Row[] {
    const text = request.Token, id = request.ID || text;
    if (id === "") throw invalid("/Token", "Name the token: whole, its ID, or its shortened form");
    const rows = [...this.#rows.values()];
    const byId = rows.filter((row) => row.id === id);
    if (byId.length > 0 || request.ID !== "") return byId;
    const hash = sha256(text);
    const whole = rows.filter((row) => row.hash === hash);
    if (whole.length > 0) return whole;
    const short = rows.filter((row) => `${row.shown}…` === text);
    if (short.length > 1) {
      throw conflict("More than one token begins like this; use the ID", {
        tokens: short.map((row) => row.id),
      });
    }
    return short;
  }
}

function loginName(user: string): string {
  return `${LOGIN_PREFIX}${user}`;
}

/** The user whose passkey sign-in issued the token of this name; null for any other token. */
export function loginUser(name: string): string | null {
  return name.startsWith(LOGIN_PREFIX) ? name.slice(LOGIN_PREFIX.length) : null;
}

/** The first characters of a token; of one too short to show eight, a quarter. */
function shorten(token: string): string {
  return token.slice(0, Math.min(SHOWN_LENGTH, Math.floor(token.length / 4)));
}
