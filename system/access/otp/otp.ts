import { eq } from "drizzle-orm";
import { invalid, notFound, Problem, sentence } from "../../core/errors/problem.ts";
import { accessOtp } from "../../core/store/schema/access.ts";
import { equalSecret, type RandomBytes, sha256 } from "../digest.ts";
import type { OtpRequest, OtpSettings, OtpStatus } from "../schema.ts";
import { type AccessDatabase, recordDeletedDigest } from "../store.ts";
import type { Attempts } from "../attempts.ts";
import { timeText } from "../../core/time/text.ts";
import { RecoveryCodes, type RecoveryOptions } from "./recovery.ts";
import { codeStep, newSecret, stepAt } from "./totp.ts";

/** Codes that one user may try, and within how many milliseconds. */
const ATTEMPT_RULE = { most: 5, window: 60_000 } as const;
/** Milliseconds after its first code in which a new secret gets recovery codes without another. */
const ENROLMENT_MS = 10 * 60_000;
/** Refused codes of a user that are remembered. */
const MAX_REFUSED = 64;

type Row = typeof accessOtp.$inferSelect;

/** Dependencies of {@link Otp}. Times are unix milliseconds. */
export interface OtpOptions {
  readonly db: AccessDatabase;
  /** Called when a write fails: on a full disk sign-in must still work. */
  readonly onWriteError: (error: unknown) => void;
  readonly now: () => number;
  /** The wall clock: a code is right by it at once when the clock has been put right. */
  readonly wall: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly steady: () => number;
  readonly random: RandomBytes;
  readonly attempts: Attempts;
  /** Called once a user's recovery codes were made, or one of them was used. */
  readonly recovery?: RecoveryOptions["changed"];
}

/** A secret that has just got its first code. */
interface Enrolment {
  /** On the monotonic clock. */
  readonly at: number;
  /** SHA-256 of the JWT that its first code gave; null before it was issued. */
  readonly proof: string | null;
}

/**
 * One-time passwords of the users, confirmed by a first code; each code is accepted once. What changes those
 * of one user is done one after the other.
 */
export class Otp {
  readonly #options: OtpOptions;
  readonly #rows: Map<string, Row>;
  /**
   * Codes by user that were refused since the last right one: somebody may have seen them, and set the
   * clock to their time.
   */
  readonly #refused = new Map<string, readonly string[]>();
  readonly #recovery: RecoveryCodes;
  readonly #enrolled = new Map<string, Enrolment>();
  /** The last work on each user's one-time passwords. */
  readonly #turns = new Map<string, Promise<unknown>>();
  /** The last step whose codes are worth nothing, whatever the clock says. */
  #endedStep = 0;

  private constructor(options: OtpOptions, rows: readonly Row[], recovery: RecoveryCodes) {
    this.#options = options;
    this.#recovery = recovery;
    this.#rows = new Map(rows.map((row) => [row.name, row]));
  }

  static async open(options: OtpOptions): Promise<Otp> {
    const { db, random, onWriteError, recovery: changed } = options;
    const recovery = await RecoveryCodes.open({
      ...{ db, random, onWriteError },
      ...(changed === undefined ? {} : { changed }),
    });
    return new Otp(options, await db.select().from(accessOtp), recovery);
  }

  status(name: string): OtpStatus {
    const row = this.#rows.get(name);
    if (!row) return { State: "unregistered", AlwaysOn: false, Confirmed: false };
    return {
      State: row.confirmed ? "registered" : "not yet validated",
      AlwaysOn: row.alwaysOn,
      Confirmed: row.confirmed,
      ...(row.confirmed ? { RecoveryCodes: this.#recovery.left(name) } : {}),
    };
  }

  /**
   * Makes new recovery codes, for which the user gives a current code; right after the first code of a new
   * secret the JWT of that code suffices, once. `jwt`: the valid one of the request; null for none. Throws
   * Problem 400, 429, 503.
   */
  async createRecoveryCodes(
    user: string,
    request: OtpRequest,
    jwt: string | null,
  ): Promise<readonly string[]> {
    requireOwnName(user, request.Name);
    return await this.#inTurn(user, async () => {
      if (!this.#rows.get(user)?.confirmed) {
        throw new Problem(
          400,
          sentence("{user} has no one-time passwords yet; register first", { user }),
        );
      }
      if (request.Code !== "" || !this.#hasJustEnrolled(user, jwt)) {
        await this.#requireCurrentCode(user, request);
      }
      const codes = await this.#recovery.create(user);
      this.#enrolled.delete(user);
      return codes;
    });
  }

  /** Takes note of the JWT that the first code of a secret gave. */
  bindEnrolment(user: string, jwt: string): void {
    const enrolment = this.#enrolled.get(user);
    if (enrolment?.proof === null) {
      this.#enrolled.set(user, { ...enrolment, proof: sha256(jwt) });
    }
  }

  #hasJustEnrolled(user: string, jwt: string | null): boolean {
    const { at, proof } = this.#enrolled.get(user) ?? { at: -Infinity, proof: null };
    return jwt !== null && proof !== null && equalSecret(proof, sha256(jwt)) &&
      this.#options.steady() - at < ENROLMENT_MS;
  }

  /** All users with their secrets, for the exported file. */
  users(): OtpSettings["OTPUsers"] {
    return [...this.#rows.values()].map((row) => ({
      Name: row.name,
      Secret: row.secret,
      Confirmed: row.confirmed,
      AlwaysOn: row.alwaysOn,
    }));
  }

  /**
   * Creates a new secret, to be confirmed by a code. A confirmed secret is replaced only with a code
   * of the old one. `ended`: a confirmed secret was replaced. Throws Problem 400, 429, 503.
   */
  async register(
    user: string,
    request: OtpRequest,
  ): Promise<{ readonly secret: string; readonly ended: boolean }> {
    return await this.#inTurn(user, async () => {
      const ended = await this.#requireCurrentCode(user, request);
      const secret = newSecret(this.#options.random);
      await this.#replace({ name: user, secret, confirmed: false, alwaysOn: false, lastStep: 0 });
      return { secret, ended };
    });
  }

  /**
   * Removes a user's one-time passwords; needs a code where confirmed. Throws Problem 400, 404, 429, 503.
   */
  async remove(user: string, request: OtpRequest): Promise<{ readonly ended: boolean }> {
    requireOwnName(user, request.Name);
    return await this.#inTurn(user, async () => {
      if (!this.#rows.has(user)) {
        throw notFound(sentence("{user} has no one-time passwords", { user }));
      }
      const ended = await this.#requireCurrentCode(user, request);
      await this.#delete(user);
      return { ended };
    });
  }

  /**
   * Deletes an unconfirmed secret: an attacker with only the password could have created it before
   * another second factor was set up.
   */
  async dropUnconfirmed(user: string): Promise<void> {
    await this.#inTurn(user, async () => {
      const row = this.#rows.get(user);
      if (row === undefined || row.confirmed) return;
      await this.#options.db.delete(accessOtp).where(eq(accessOtp.name, user));
      this.#rows.delete(user);
    });
  }

  /** Deletes the one-time passwords of an earlier user of this name. */
  async removeAll(user: string): Promise<void> {
    await this.#inTurn(user, () => this.#delete(user));
  }

  /** Accepts a code, once. `confirmed`: it was the first of its secret. Throws Problem 400, 429, 503. */
  async validate(user: string, request: OtpRequest): Promise<{ readonly confirmed: boolean }> {
    requireOwnName(user, request.Name);
    return await this.#inTurn(user, async () => {
      const row = this.#rows.get(user);
      if (!row) {
        throw new Problem(
          400,
          sentence("{user} has no one-time passwords yet; register first", { user }),
        );
      }
      await this.#accept(row, request.Code, {
        confirmed: true,
        alwaysOn: request.UpdateAlwaysOn ? request.AlwaysOn : row.alwaysOn,
      });
      if (!row.confirmed) this.#enrolled.set(user, { at: this.#options.steady(), proof: null });
      return { confirmed: !row.confirmed };
    });
  }

  /**
   * Imports an entry from a file. A confirmed entry stays confirmed, and always-on where it was.
   * Returns whether anything changed.
   */
  async adopt(entry: OtpSettings["OTPUsers"][number]): Promise<boolean> {
    return await this.#inTurn(entry.Name, () => this.#adopt(entry));
  }

  async #adopt(entry: OtpSettings["OTPUsers"][number]): Promise<boolean> {
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

  /** Codes of this time and before are refused from now on, unix milliseconds. */
  endCodes(until: number): void {
    this.#endedStep = Math.max(this.#endedStep, stepAt(until));
  }

  /** Requires a valid code before a confirmed secret is replaced; returns whether there was one. */
  async #requireCurrentCode(user: string, request: OtpRequest): Promise<boolean> {
    requireOwnName(user, request.Name);
    const row = this.#rows.get(user);
    if (!row?.confirmed) return false;
    if (request.Code === "") {
      throw new Problem(400, "One-time passwords are set up already; give a valid code as well", {
        errors: [{ pointer: "/Code", message: "Enter the six digits that your app shows now" }],
      });
    }
    await this.#accept(row, request.Code, {});
    return true;
  }

  async #accept(given: Row, code: string, change: Partial<Row>): Promise<void> {
    const { attempts } = this.#options;
    const key = `otp ${given.name}`;
    attempts.check(key, ATTEMPT_RULE, "Too many codes were tried; try again in {wait} s");
    await attempts.add(key, ATTEMPT_RULE);
    const now = this.#options.wall();
    // As it is after the wait: another request may have used the code, or replaced the secret.
    const row = this.#rows.get(given.name);
    const refused = this.#refused.get(given.name) ?? [];
    // A recovery code of a secret that counts: it stands for the app, and uses up no code of it.
    if (
      row?.confirmed && row.secret === given.secret && await this.#recovery.take(row.name, code)
    ) {
      await this.#change(given, change);
      return await attempts.clear(key);
    }
    const digits = code.replaceAll(" ", "");
    const step = row?.secret === given.secret && !refused.includes(digits)
      ? codeStep(code, {
        secret: row.secret,
        now,
        lastStep: Math.max(row.lastStep, this.#endedStep),
      })
      : null;
    if (row === undefined || step === null) {
      if (/^\d{6}$/.test(digits)) {
        this.#refused.set(given.name, [...refused, digits].slice(-MAX_REFUSED));
      }
      throw wrongCode(now);
    }
    this.#refused.delete(given.name);
    const next = { ...row, ...change, lastStep: step };
    // Consumed before the next await, so that two requests cannot share one code.
    this.#rows.set(row.name, next);
    const decides = next.confirmed !== row.confirmed || next.alwaysOn !== row.alwaysOn;
    try {
      await this.#save(next);
    } catch (error) {
      if (decides) this.#rows.set(row.name, { ...row, lastStep: step });
      if (decides) throw error;
      this.#options.onWriteError(error);
    }
    await attempts.clear(key);
  }

  /** Changes the row as it is now, where it still has the secret that was proven. Throws Problem 400. */
  async #change(proven: Row, change: Partial<Row>): Promise<void> {
    const row = this.#rows.get(proven.name);
    if (row?.secret !== proven.secret) throw wrongCode(this.#options.wall());
    const next = { ...row, ...change };
    if (next.confirmed === row.confirmed && next.alwaysOn === row.alwaysOn) return;
    await this.#save(next);
    this.#rows.set(next.name, next);
  }

  /** Stores a row; the recovery codes of another secret end. */
  async #replace(row: Row): Promise<void> {
    if (this.#rows.get(row.name)?.secret !== row.secret) {
      await this.#recordDeleted(row.name);
      await this.#recovery.drop(row.name);
      this.#enrolled.delete(row.name);
    }
    await this.#save(row);
    this.#rows.set(row.name, row);
  }

  async #delete(user: string): Promise<void> {
    await this.#recordDeleted(user);
    await this.#recovery.drop(user);
    this.#enrolled.delete(user);
    await this.#options.db.delete(accessOtp).where(eq(accessOtp.name, user));
    this.#rows.delete(user);
  }

  /** Does this once all that was begun before on the user's one-time passwords is done. */
  async #inTurn<T>(user: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(user) ?? Promise.resolve()).then(work);
    const done = turn.then(() => {}, () => {});
    this.#turns.set(user, done);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(user) === done) this.#turns.delete(user);
    }
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

/** Codes go by the clock: its time tells whether that is what is wrong. */
function wrongCode(now: number): Problem {
  const whole = sentence(
    "This code is wrong, too old, or was used already. The router's clock says {time}",
    { time: timeText(now) },
  );
  return new Problem(400, whole, {
    errors: [{ pointer: "/Code", message: "This code is wrong, too old, or was used already" }],
    members: { unix: Math.floor(now / 1000) },
  });
}

function requireOwnName(user: string, name: string): void {
  if (name === "" || name === user) return;
  throw invalid(
    "/Name",
    sentence("You are signed in as {user} and can set up no other user's one-time passwords", {
      user,
    }),
  );
}
