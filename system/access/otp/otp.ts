import { eq } from "drizzle-orm";
import { notFound, Problem } from "../../core/errors/problem.ts";
import { accessOtp } from "../../core/store/schema/access.ts";
import { type RandomBytes, sha256 } from "../digest.ts";
import type { OtpRequest, OtpSettings, OtpStatus } from "../schema.ts";
import { type AccessDatabase, recordDeletedDigest } from "../store.ts";
import { codeStep, newSecret } from "./totp.ts";

/** Codes that one user may try within a minute. */
const ATTEMPT_LIMIT = { most: 5, window: 60_000 } as const;

type Row = typeof accessOtp.$inferSelect;

/** What one-time passwords need from outside. `now` is unix milliseconds. */
export interface OtpOptions {
  readonly db: AccessDatabase;
  /** Told of what could not be written: on a full disk people must still get in to make room. */
  readonly onWriteError: (error: unknown) => void;
  readonly now: () => number;
  readonly random: RandomBytes;
}

/** One-time passwords of the users: set up, proven by a first code, and each code good once. */
export class Otp {
  readonly #options: OtpOptions;
  readonly #rows: Map<string, Row>;
  readonly #attempts = new Map<string, number[]>();

  private constructor(options: OtpOptions, rows: readonly Row[]) {
    this.#options = options;
    this.#rows = new Map(rows.map((row) => [row.name, row]));
  }

  static async open(options: OtpOptions): Promise<Otp> {
    return new Otp(options, await options.db.select().from(accessOtp));
  }

  status(name: string): OtpStatus {
    const row = this.#rows.get(name);
    if (!row) return { State: "unregistered", AlwaysOn: false, Confirmed: false };
    return {
      State: row.confirmed ? "registered" : "not yet validated",
      AlwaysOn: row.alwaysOn,
      Confirmed: row.confirmed,
    };
  }

  /** Everything, with secrets: for the file of those who want one. */
  users(): OtpSettings["OTPUsers"] {
    return [...this.#rows.values()].map((row) => ({
      Name: row.name,
      Secret: row.secret,
      Confirmed: row.confirmed,
      AlwaysOn: row.alwaysOn,
    }));
  }

  /**
   * Gives the user a new secret, to be confirmed by a code. One that was confirmed is replaced only
   * against a code of the old one. `ended`: a confirmed one went. Throws Problem 400, 429.
   */
  async register(
    user: string,
    request: OtpRequest,
  ): Promise<{ readonly secret: string; readonly ended: boolean }> {
    const ended = await this.#requireCurrentCode(user, request);
    const secret = newSecret(this.#options.random);
    const fresh = { name: user, secret, confirmed: false, alwaysOn: false, lastStep: 0 };
    await this.#replace(fresh);
    return { secret, ended };
  }

  /** Takes a user's one-time passwords away, against a code where confirmed. Throws Problem 400, 404, 429. */
  async remove(user: string, request: OtpRequest): Promise<{ readonly ended: boolean }> {
    requireOwnName(user, request.Name);
    if (!this.#rows.has(user)) throw notFound(`${user} has no one-time passwords`);
    const ended = await this.#requireCurrentCode(user, request);
    await this.#recordDeleted(user);
    this.#rows.delete(user);
    await this.#options.db.delete(accessOtp).where(eq(accessOtp.name, user));
    return { ended };
  }

  /** Accepts a code, once. `confirmed`: it was the first of its secret. Throws Problem 400, 429. */
  async validate(user: string, request: OtpRequest): Promise<{ readonly confirmed: boolean }> {
    requireOwnName(user, request.Name);
    const row = this.#rows.get(user);
    if (!row) throw new Problem(400, `${user} has no one-time passwords yet; register first`);
    await this.#accept(row, request.Code, {
      confirmed: true,
      alwaysOn: request.UpdateAlwaysOn ? request.AlwaysOn : row.alwaysOn,
    });
    return { confirmed: !row.confirmed };
  }

  /**
   * Takes an entry over from a file. One that was confirmed here stays confirmed, and always-on where
   * it was. Answers whether anything changed.
   */
  async adopt(entry: OtpSettings["OTPUsers"][number]): Promise<boolean> {
    const row = this.#rows.get(entry.Name);
    if (row?.confirmed && !entry.Confirmed) return false;
    const same = row?.secret === entry.Secret;
    const alwaysOn = entry.Confirmed && entry.AlwaysOn || (row?.alwaysOn ?? false);
    if (same && row.confirmed === entry.Confirmed && row.alwaysOn === alwaysOn) return false;
    await this.#replace({
      name: entry.Name,
      secret: entry.Secret,
      confirmed: entry.Confirmed,
      alwaysOn,
      lastStep: same ? row.lastStep : 0,
    });
    return true;
  }

  /** Checks the code that stands between a confirmed secret and its end; answers whether there was one. */
  async #requireCurrentCode(user: string, request: OtpRequest): Promise<boolean> {
    requireOwnName(user, request.Name);
    const row = this.#rows.get(user);
    if (!row?.confirmed) return false;
    if (request.Code === "") {
      throw new Problem(400, "One-time passwords are set up already; give a valid code as well", {
        errors: [{ pointer: "/Code", message: "Give the six digits that your app shows now" }],
      });
    }
    await this.#accept(row, request.Code, {});
    return true;
  }

  async #accept(row: Row, code: string, change: Partial<Row>): Promise<void> {
    this.#countAttempt(row.name);
    const now = this.#options.now();
    const step = codeStep(code, { secret: row.secret, now, lastStep: row.lastStep });
    if (step === null) {
      const message = "This code is wrong, too old, or was used already";
      throw new Problem(400, message, { errors: [{ pointer: "/Code", message }] });
    }
    const next = { ...row, ...change, lastStep: step };
    // Used up before the first wait, so that two requests cannot share one code.
    this.#rows.set(row.name, next);
    const decides = next.confirmed !== row.confirmed || next.alwaysOn !== row.alwaysOn;
    try {
      await this.#save(next);
    } catch (error) {
      if (decides) this.#rows.set(row.name, { ...row, lastStep: step });
      if (decides) throw error;
      this.#options.onWriteError(error);
    }
    this.#attempts.delete(row.name);
  }

  #countAttempt(user: string): void {
    const now = this.#options.now();
    const recent = (this.#attempts.get(user) ?? []).filter((at) =>
      Math.abs(now - at) < ATTEMPT_LIMIT.window
    );
    if (recent.length >= ATTEMPT_LIMIT.most) {
      const wait = Math.max(1, Math.ceil((recent[0]! + ATTEMPT_LIMIT.window - now) / 1000));
      throw new Problem(429, `Too many codes were tried; try again in ${wait} s`, {
        headers: { "retry-after": String(wait) },
      });
    }
    this.#attempts.set(user, [...recent, now]);
  }

  async #replace(row: Row): Promise<void> {
    if (this.#rows.get(row.name)?.secret !== row.secret) await this.#recordDeleted(row.name);
    this.#rows.set(row.name, row);
    await this.#save(row);
  }

  async #recordDeleted(user: string): Promise<void> {
    const row = this.#rows.get(user);
    if (row) await recordDeletedDigest(this.#options.db, sha256(row.secret), this.#options.now());
  }

  async #save(row: Row): Promise<void> {
    const { name: _, ...set } = row;
    await this.#options.db.insert(accessOtp).values(row)
      .onConflictDoUpdate({ target: accessOtp.name, set });
  }
}

function requireOwnName(user: string, name: string): void {
  if (name === "" || name === user) return;
  const message = `You are signed in as ${user} and can set up no other user's one-time passwords`;
  throw new Problem(400, message, { errors: [{ pointer: "/Name", message }] });
}
