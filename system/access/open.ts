import { join } from "node:path";
import { lte } from "drizzle-orm";
import type { Config } from "../config.ts";
import type { Bus } from "../core/events/bus.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import { files, removeFile } from "../core/config/files.ts";
import type { Log } from "../core/log/log.ts";
import { accessLockouts } from "../core/store/schema/access.ts";
import { Accounts, RequestEvents, signInEvent } from "./accounts.ts";
import { Attempts } from "./attempts.ts";
import { LOCK_RULE } from "./password/failures.ts";
import { PasswordGate } from "./password/password_gate.ts";
import { type RandomBytes, systemRandom } from "./digest.ts";
import { Epochs } from "./epochs.ts";
import { announcer, firstStart, hashPlainPasswords, setupCodeFile } from "./first_start.ts";
import type { Timer } from "./password/hash_slots.ts";
import {
  identify,
  isStillValid,
  parseAuthorization,
  type PresentedCredentials,
} from "./identify.ts";
import type { Problem } from "../core/errors/problem.ts";
import { type Identity, refusalReason } from "./identity.ts";
import { Importer } from "./tokens/importer.ts";
import { DEFAULT_JWT_SECONDS, Jwts } from "./otp/jwt.ts";
import { Otp } from "./otp/otp.ts";
import { Ceremonies } from "./passkeys/ceremonies.ts";
import { PasskeyAccess } from "./passkeys/passkey_access.ts";
import { PasskeyRateLimiter } from "./passkeys/passkey_limits.ts";
import { Passkeys } from "./passkeys/passkeys.ts";
import { WebAuthn } from "./passkeys/webauthn.ts";
import { verifyPassword } from "./password/password.ts";
import { usersDocument } from "./document.ts";
import { hasAdmin, storedPassword } from "./rules.ts";
import { Sessions } from "./sessions.ts";
import { Setup } from "./setup.ts";
import { type AccessDatabase, readSetting, storedKey, writeSetting } from "./store.ts";
import { type PageTokens, Tokens } from "./tokens/tokens.ts";

/** Milliseconds between checks of the credential files. */
const CHECK_INTERVAL_MS = 2000;

/** Prefix of the keys by which failed passwords of a source are remembered. */
const PASSWORDS = "password ";

/**
 * What times of access are read from: a wall clock that is wrong for a while must neither revive what
 * has expired nor end anything for good. All are unix milliseconds.
 */
export interface AccessClock {
  /** The best guess. */
  readonly now: () => number;
  /** The time that it is at least. */
  readonly surely: () => number;
}

/** Dependencies of {@link openAccess}. */
export interface AccessOptions {
  readonly engine: ChangeEngine<Config>;
  /** The durable local store. */
  readonly db: AccessDatabase;
  readonly bus: Bus;
  readonly log: Log;
  /** The live tree. */
  readonly home: string;
  /** Password of the admin at the first start; null: a setup code is generated. */
  readonly adminPassword: string | null;
  /** Shows the setup code; returns the file it was saved to, null when it was shown. */
  readonly announce?: (secret: string) => Promise<string | null>;
  /** The wall clock, unix milliseconds. */
  readonly now?: () => number;
  /** The trusted clock; defaults to the wall clock. */
  readonly clock?: AccessClock;
  /** Milliseconds of a monotonic clock; defaults to `now` where that is given. */
  readonly steady?: () => number;
  readonly random?: RandomBytes;
  readonly timer?: Timer;
  /** Called once how many recovery codes a user has left has changed. */
  readonly recoveryCodes?: (user: string, left: number) => void;
  /** Tokens of plugin pages. */
  readonly pages?: PageTokens;
  /** False: the credential files are checked only once. */
  readonly watch?: boolean;
}

/** Authentication of requests, and the credentials it knows. */
export interface Access {
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  readonly otp: Otp;
  /** Attempts that are limited, over restarts. */
  readonly attempts: Attempts;
  readonly passkeys: PasskeyAccess;
  readonly setup: Setup;
  /** Authenticates a request. Throws Problem 429. */
  identify(presented: PresentedCredentials): Promise<Identity>;
  /** Publishes that a caller was refused by this, where it is a failed sign-in. */
  refused(identity: Identity, error: Problem, source: string): void;
  /** True while the credentials of a request are still valid; for streams that stay open. */
  holds(identity: Identity): boolean;
  /** Path of the file with the setup code; null while there is none. */
  setupCodeFile(): Promise<string | null>;
  /** Checks the credential files now. */
  importFiles(): Promise<void>;
  /** Stops checking files and waits for pending work. */
  close(): Promise<void>;
}

/**
 * Creates the first admin where there is none, hashes plain-text passwords, and imports credential
 * files. Must have completed before the listener opens.
 */
export async function openAccess(options: AccessOptions): Promise<Access> {
  const { engine, db, bus, log, home } = options;
  const wall = options.now ?? Date.now;
  const clock = options.clock ?? { now: wall, surely: wall };
  const now = clock.now, random = options.random ?? systemRandom;
  const steady = options.steady ?? options.now ?? (() => performance.now());
  const announce = options.announce ?? announcer(home);
  if (await usersAreReadable(home)) {
    await firstStart({ engine, db, random, log, adminPassword: options.adminPassword, announce });
  } else if (!hasAdmin(engine.config)) {
    // Somebody's users: a new admin would open what theirs keep shut.
    log.error(
      "access.users_unreadable",
      "configs/auth/auth_users.json cannot be read: nobody can sign in until it can",
    );
  }
  await hashPlainPasswords(engine, random);

  const setup = await Setup.open(db, () => removeFile(setupCodeFile(home)));
  const epochs = await Epochs.open({ db, random, key: await storedKey(db, "users-key", random) });
  const onWriteError = (error: unknown) =>
    log.error("access.write_failed", "Authentication state could not be saved", { error });
  const store = { db, now, wall, steady, surely: clock.surely, random, onWriteError };
  const tokens = await Tokens.open(store);
  const attempts = await Attempts.open(store);
  const otp = await Otp.open({
    ...{ ...store, attempts },
    recovery: (username, type, left) => {
      bus.publish("auth:recovery", { type, username, left });
      options.recoveryCodes?.(username, left);
    },
  });
  const sessions = await Sessions.open(store);
  const passkeys = await Passkeys.open(store);
  const writes = new Set<Promise<unknown>>();
  const gate = await openGate(options, { now, steady, random, writes, attempts });
  const duration = await openDuration(db);
  const jwts = new Jwts({
    key: await storedKey(db, "jwt-key", random),
    random,
    now,
    wall,
    steady,
    epochOf: (user) => epochs.of(user),
  });
  const importer: Importer = new Importer({
    db,
    home,
    now,
    log,
    tokens,
    otp,
    duration,
    revoked: (id, name) => bus.publish("auth:token:delete", { id, name }),
    otpChanged: (user) => accounts.revokeCredentials(user),
  });
  const accounts = new Accounts({
    engine,
    bus,
    random,
    gate,
    epochs,
    tokens,
    otp,
    sessions,
    setup,
    importer,
    jwts,
    duration: duration.get,
    onWriteError,
    revoke: async (user) => {
      await tokens.dropLogins(user);
      if (storedPassword(engine.config, user) === undefined) await passkeys.removeAll(user);
    },
  });
  await accounts.syncUsers();
  await importer.run();
  await tokens.endExpired();
  const look = () =>
    void Promise.all([importer.run(), tokens.endExpired()]).catch((error) =>
      log.error("access.import_failed", "A credential file could not be imported", { error })
    );
  const watch = options.watch === false ? undefined : setInterval(look, CHECK_INTERVAL_MS);
  const ceremonies = new Ceremonies(steady, random);
  const passkeyAccess = new PasskeyAccess({
    engine,
    bus,
    log,
    accounts,
    gate,
    rateLimiter: new PasskeyRateLimiter(attempts),
    otp,
    passkeys,
    sessions,
    tokens,
    webauthn: new WebAuthn({ passkeys, ceremonies, random, now }),
    now,
  });
  const requests = new RequestEvents(bus, steady);
  const parts = {
    engine,
    accounts,
    tokens,
    pages: options.pages,
    sessions,
    otp,
    setup,
    jwts,
    epochs,
  };
  return {
    accounts,
    tokens,
    sessions,
    otp,
    attempts,
    passkeys: passkeyAccess,
    setup,
    async identify(credentials) {
      const identity = await identify(parts, credentials);
      const { authorization, source } = credentials;
      if (authorization === null) return identity;
      requests.add(identity, source);
      const isToken = parseAuthorization(authorization).kind === "bearer";
      if (identity.principal === null && isToken) {
        requests.refused(identity, source, "unknown token");
      }
      return identity;
    },
    refused: (identity, error, source) => {
      const reason = refusalReason(identity, error);
      if (reason !== null) requests.refused(identity, source, reason);
    },
    holds: (identity) => {
      // Applies changes that no request has applied yet, such as an edited file.
      void accounts.syncUsers();
      return isStillValid(parts, identity);
    },
    setupCodeFile: async () => {
      const path = setupCodeFile(home);
      return await files.read(path).catch(() => null) === null ? null : path;
    },
    importFiles: async () => {
      await importer.run();
      await tokens.endExpired();
    },
    close: async () => {
      clearInterval(watch);
      await importer.settled();
      await Promise.all(writes);
    },
  };
}

async function usersAreReadable(home: string): Promise<boolean> {
  try {
    await files.read(join(home, "configs", usersDocument.path));
    return true;
  } catch {
    return false;
  }
}

async function openGate(
  options: AccessOptions,
  sources: {
    readonly now: () => number;
    readonly steady: () => number;
    readonly random: RandomBytes;
    readonly attempts: Attempts;
    /** Pending writes that are not awaited. */
    readonly writes: Set<Promise<unknown>>;
  },
): Promise<PasswordGate> {
  const { db, bus, log, engine, timer } = options;
  const { now, steady, random, writes, attempts } = sources;
  const pending = (work: Promise<unknown>): void => {
    const write: Promise<unknown> = work.finally(() => writes.delete(write));
    writes.add(write);
  };
  const locked = (source: string, end: number): void => {
    const until = now() + end - steady();
    bus.publish("auth:lock", { addr: source, until });
    log.warn("access.source_locked", "A source is locked out after too many failed logins", {
      source,
    });
    const set = { until };
    const write = db.insert(accessLockouts).values({ source, until })
      .onConflictDoUpdate({ target: accessLockouts.source, set })
      .catch((error) =>
        log.error("access.lockout_not_saved", "A lockout could not be saved", { error })
      );
    pending(write);
  };
  const rule = { most: LOCK_RULE.failures, window: LOCK_RULE.window };
  const gate = new PasswordGate({
    now: steady,
    locked,
    key: random(32),
    verify: verifyPassword,
    ...(timer ? { timer } : {}),
    counted: (source, times) => pending(attempts.replace(`${PASSWORDS}${source}`, rule, times)),
    failed: (source, user, until) => {
      // An unknown name may be a password typed into the wrong field.
      const username = storedPassword(engine.config, user) === undefined ? "" : user;
      bus.publish(
        "auth:failure",
        signInEvent({ type: "user", name: username, source, reason: "bad password" }),
      );
      log.warn("access.wrong_password", "Wrong password", { username, source });
      if (until !== null) locked(source, until);
    },
  });
  await db.delete(accessLockouts).where(lte(accessLockouts.until, now()));
  for (const { source, until } of await db.select().from(accessLockouts)) {
    gate.failures.restore(source, steady() + until - now());
  }
  for (const { rest, times } of attempts.ofPrefix(PASSWORDS)) {
    gate.failures.restoreFailed(rest, times);
  }
  return gate;
}

async function openDuration(
  db: AccessDatabase,
): Promise<{ get(): number; set(seconds: number): Promise<void> }> {
  let seconds = Number(await readSetting(db, "jwt-seconds") ?? DEFAULT_JWT_SECONDS);
  return {
    get: () => seconds,
    set: async (value) => {
      seconds = value;
      await writeSetting(db, "jwt-seconds", String(value));
    },
  };
}
