import type { Config } from "../config.ts";
import type { Bus } from "../core/events/bus.ts";
import type { ChangeEngine, Command } from "../core/engine/change.ts";
import { invalid, notFound, Problem, sentence } from "../core/errors/problem.ts";
import type { PasswordGate } from "./password/password_gate.ts";
import type { RandomBytes } from "./digest.ts";
import type { Epochs } from "./epochs.ts";
import type { Importer } from "./tokens/importer.ts";
import type { Jwts } from "./otp/jwt.ts";
import type { Otp } from "./otp/otp.ts";
import { FIRST_ADMIN } from "./first_start.ts";
import { hashPassword } from "./password/password.ts";
import { changePassword, findUser, putUser, storedPassword, userNames } from "./rules.ts";
import type {
  OtpRequest,
  OtpSettings,
  Token,
  TokenRequest,
  UserRequest,
  UserView,
} from "./schema.ts";
import type { OpenedSession, Sessions } from "./sessions.ts";
import type { Role } from "./roles.ts";
import type { Setup } from "./setup.ts";
import type { Tokens } from "./tokens/tokens.ts";
import type { Identity } from "./identity.ts";
import { sourceKey } from "../core/net/net.ts";

/** A password sign-in: credentials and source address. */
export interface SignIn {
  readonly user: string;
  readonly password: string;
  readonly source: string;
}

/** The browser that a session belongs to. */
export interface SessionClient {
  readonly source: string;
  readonly tls: boolean;
  readonly agent: string;
}

/** The stores and rules that {@link Accounts} combines. */
export interface AccountsOptions {
  readonly engine: ChangeEngine<Config>;
  readonly bus: Bus;
  readonly random: RandomBytes;
  readonly gate: PasswordGate;
  readonly epochs: Epochs;
  readonly tokens: Tokens;
  readonly otp: Otp;
  readonly sessions: Sessions;
  readonly setup: Setup;
  readonly importer: Importer;
  readonly jwts: Jwts;
  readonly duration: () => number;
  /** Revokes the other credentials of a user whose password changed or who was removed. */
  readonly revoke: (user: string) => Promise<void>;
  /** Called when a write fails. */
  readonly onWriteError: (error: unknown) => void;
}

/** Sign-in, passwords, tokens and one-time passwords of the admins. */
export class Accounts {
  readonly #options: AccountsOptions;
  /** Users whose sessions are over, but perhaps not yet in the database. */
  readonly #ending = new Set<string>();
  #syncing: Promise<void> = Promise.resolve();

  constructor(options: AccountsOptions) {
    this.#options = options;
  }

  /**
   * Applies the current users: revokes the credentials of those whose password changed or who were
   * removed. What cannot be stored is effective in memory, and is tried again at the next call.
   */
  syncUsers(): Promise<void> {
    const { epochs, engine } = this.#options;
    for (const user of epochs.sync(engine.config)) this.#ending.add(user);
    this.#syncing = this.#syncing.then(() => this.#endPending()).catch(this.#options.onWriteError);
    return this.#syncing;
  }

  async #endPending(): Promise<void> {
    const { epochs, sessions } = this.#options;
    for (const user of [...this.#ending]) {
      await sessions.endAll(user);
      await this.#options.revoke(user);
      this.#ending.delete(user);
      this.#options.bus.publish("auth:logout", signOutEvent({ type: "user", name: user }));
    }
    await epochs.flush();
  }

  /** True when the user name and password are correct. Throws Problem 429. */
  async verify({ user, password, source }: SignIn): Promise<boolean> {
    const stored = storedPassword(this.#options.engine.config, user);
    const ok = await this.#options.gate.check({ source, user, password, stored });
    if (ok && user === FIRST_ADMIN) await this.#options.setup.accepts(password);
    return ok;
  }

  /** Opens a browser session for a user who has just authenticated. */
  async openSession(
    user: string,
    end: SessionClient,
    by: { readonly passkey?: string; readonly token?: string } = {},
  ): Promise<OpenedSession> {
    const opened = await this.#options.sessions.start({ user, ...end, ...by });
    const reason = by.passkey === undefined ? "session" : "webauthn login";
    this.#options.bus.publish(
      "auth:success",
      signInEvent({ type: "user", name: user, source: end.source, reason }),
    );
    return opened;
  }

  /** Signs in by password. Throws Problem 401, 429. */
  async login(signIn: SignIn, end: SessionClient): Promise<OpenedSession> {
    await this.syncUsers();
    if (!await this.verify(signIn)) {
      throw new Problem(401, "The name or the password is wrong");
    }
    return await this.openSession(signIn.user, end);
  }

  /** Ends a session; no error when it has already ended. */
  async logout(user: string, session: string, source: string): Promise<void> {
    await this.endSession(user, session, source).catch((error) => {
      if (!(error instanceof Problem && error.status === 404)) throw error;
    });
  }

  /** Ends one of a user's sessions, and with it the streams it opened. Throws Problem 404. */
  async endSession(user: string, session: string, source: string): Promise<void> {
    const token = await this.#options.sessions.remove(user, session);
    if (token !== null) await this.#options.tokens.dropLogin([token]);
    this.#options.bus.publish("auth:logout", signOutEvent({ type: "user", name: user, source }));
  }

  /** Deletes those of the tokens that a passkey sign-in issued. */
  async endLogin(
    tokens: readonly { readonly id: string; readonly name: string }[],
    source: string,
  ): Promise<void> {
    if (!await this.#options.tokens.dropLogin(tokens.map(({ id }) => id))) return;
    const { name } = tokens[0]!;
    this.#options.bus.publish("auth:logout", signOutEvent({ type: "token", name, source }));
  }

  /** The command that changes one's own password. Throws Problem 400, 404, 429. */
  async passwordCommand(
    user: string,
    change: { readonly Current: string; readonly New: string; readonly source: string },
  ): Promise<Command<Config>> {
    const { engine, gate, random } = this.#options;
    const from = storedPassword(engine.config, user);
    if (from === undefined) throw notFound(sentence("There is no user {user}", { user }));
    const { source } = change;
    if (!await this.verify({ user, password: change.Current, source })) {
      throw invalid("/Current", "This is not the current password");
    }
    if (change.New === change.Current) throw invalid("/New", "This is the password already");
    const record = await gate.runHash(() => hashPassword(change.New, random));
    return changePassword({ name: user, from, record });
  }

  /** The users, with what is open and set up of each. */
  users(hasFactor: (user: string) => boolean): UserView[] {
    const { engine, sessions } = this.#options;
    return userNames(engine.config).map((name) => {
      const open = sessions.list(name, null);
      return {
        Name: name,
        Role: findUser(engine.config, name)!.role,
        SecondFactor: hasFactor(name),
        Sessions: open.length,
        LastSeen: Math.max(0, ...open.map(({ lastSeen }) => lastSeen)),
      };
    });
  }

  /** The command that adds or changes a user. */
  async putUserCommand(name: string, { Role, Password }: UserRequest): Promise<Command<Config>> {
    const { gate, random } = this.#options;
    const record = Password === undefined
      ? undefined
      : await gate.runHash(() => hashPassword(Password, random));
    return putUser(name, { role: Role, record });
  }

  /** The role of a user. Throws Problem 401 for one who is gone. */
  roleOf(user: string): Role {
    const known = findUser(this.#options.engine.config, user);
    if (known === undefined) throw new Problem(401, "The name or the password is wrong");
    return known.role;
  }

  /** True for the name of a user. */
  knows(user: string): boolean {
    return findUser(this.#options.engine.config, user) !== undefined;
  }

  /**
   * Forgets the one-time passwords of an earlier user of the name, and a sign-in that was under way when
   * that user was deleted, once a new one was added.
   */
  async beginAnew(user: string): Promise<void> {
    await this.#options.revoke(user);
    await this.#options.otp.removeAll(user);
    await this.#options.importer.exportOtp();
  }

  /** Creates a token; only this response contains it in full. Throws Problem 400, 409. */
  async createToken(request: TokenRequest): Promise<Token> {
    const token = await this.#options.tokens.create(request);
    const { ID: _, LastUsed: __, ...added } = token;
    await this.#options.importer.exportTokens({ added });
    return token;
  }

  /** Throws Problem 400, 404, 409. */
  async deleteToken(request: { readonly Token: string; readonly ID: string }): Promise<Token> {
    const { token, hash } = await this.#options.tokens.remove(request);
    await this.#options.importer.exportTokens({ removed: hash });
    this.#options.bus.publish("auth:token:delete", { id: token.ID, name: token.Name });
    return token;
  }

  /** New secret for a user; shows no other user's. Throws Problem 400, 429. */
  async registerOtp(user: string, request: OtpRequest): Promise<OtpSettings> {
    const { secret, ended } = await this.#options.otp.register(user, request);
    if (ended) await this.revokeCredentials(user);
    await this.#options.importer.exportOtp();
    return {
      OTPUsers: [{ Name: user, Secret: secret, Confirmed: false, AlwaysOn: false }],
      JWTDurationSeconds: this.#options.duration(),
    };
  }

  /** Throws Problem 400, 404, 429. `ended`: the user's sessions and JWTs were revoked. */
  async deleteOtp(user: string, request: OtpRequest): Promise<{ readonly ended: boolean }> {
    const { ended } = await this.#options.otp.remove(user, request);
    if (ended) await this.revokeCredentials(user);
    await this.#options.importer.exportOtp();
    return { ended };
  }

  /** Accepts a code and returns the JWT for it. Throws Problem 400, 429, 503. */
  async validateOtp(
    user: string,
    request: OtpRequest,
  ): Promise<{ readonly jwt: string; readonly ended: boolean }> {
    const { otp, importer, jwts, duration } = this.#options;
    const { confirmed: ended } = await otp.validate(user, request);
    if (ended) await this.revokeCredentials(user);
    await importer.exportOtp();
    const jwt = await jwts.issue(user, duration());
    if (ended) otp.bindEnrolment(user, jwt);
    return { jwt, ended };
  }

  /** Makes recovery codes; only this response contains them. Throws Problem 400, 429, 503. */
  async createRecoveryCodes(
    user: string,
    request: OtpRequest,
    jwt: string | null,
  ): Promise<readonly string[]> {
    return await this.#options.otp.createRecoveryCodes(user, request, jwt);
  }

  /** The JWT of a user who has just proven a second factor. */
  async issueJwt(user: string): Promise<string> {
    return await this.#options.jwts.issue(user, this.#options.duration());
  }

  /** Revokes a user's JWTs, durably; sessions go on. */
  async revokeJwts(user: string): Promise<void> {
    this.#options.epochs.bump(user);
    await this.#options.epochs.flush();
  }

  /** Revokes a user's sessions and JWTs. */
  async revokeCredentials(user: string): Promise<void> {
    this.#options.epochs.bump(user);
    this.#ending.add(user);
    await this.syncUsers();
  }
}

/** A sign-in that succeeded or failed. */
export interface SignInEvent {
  /** `user` by password, session or passkey; `token` by an API token. */
  readonly type: "user" | "token";
  /** Of the user or token; "" where it is not known. */
  readonly name: string;
  readonly source: string;
  /** Where or why, such as `api` or `bad password`. */
  readonly reason: string;
}

/** The event as it is published: under the names of existing clients, and under clean ones. */
export function signInEvent({ type, name, source, reason }: SignInEvent) {
  return {
    type,
    name,
    ...(type === "user" ? { username: name } : {}),
    reason,
    ip: source,
    addr: source,
  };
}

/** The end of sign-ins of a user, or of a token; without a source where no request asked for it. */
export function signOutEvent(
  { type, name, source = "" }: Omit<SignInEvent, "reason" | "source"> & {
    readonly source?: string;
  },
) {
  return {
    ...{ type, name },
    ...(type === "user" ? { username: name } : {}),
    ...{ ip: source, addr: source },
  };
}

/** Requests with the same credentials from one source are one event in this time. */
const SAMPLE_INTERVAL_MS = 10 * 60_000;
/** Credentials and sources that are remembered. */
const MAX_REMEMBERED = 1000;

/**
 * Publishes `auth:success` and `auth:failure` for requests: the first of each source and kind, then
 * rarely.
 */
export class RequestEvents {
  readonly #bus: Pick<Bus, "publish">;
  /** Monotonic milliseconds. */
  readonly #steady: () => number;
  readonly #last = new Map<string, number>();

  constructor(bus: Pick<Bus, "publish">, steady: () => number) {
    this.#bus = bus;
    this.#steady = steady;
  }

  /** Takes a request in whose `Authorization` header was recognized. */
  add(identity: Identity, source: string): void {
    const who = callerOf(identity);
    if (who !== null) this.#publish("auth:success", { ...who, source, reason: "api" });
  }

  /** Takes in that a request was refused; without a caller that is known, `token` and no name. */
  refused(identity: Pick<Identity, "principal">, source: string, reason: string): void {
    const who = callerOf(identity) ?? { type: "token", name: "" } as const;
    this.#publish("auth:failure", { ...who, source, reason });
  }

  #publish(topic: "auth:success" | "auth:failure", event: SignInEvent): void {
    const { type, name, source, reason } = event;
    const key = `${topic} ${type} ${name} ${reason} ${sourceKey(source)}`;
    const at = this.#steady();
    const last = this.#last.get(key);
    if (last !== undefined && at - last < SAMPLE_INTERVAL_MS) return;
    this.#last.delete(key);
    this.#last.set(key, at);
    if (this.#last.size > MAX_REMEMBERED) this.#last.delete(this.#last.keys().next().value!);
    this.#bus.publish(topic, signInEvent(event));
  }
}

function callerOf({ principal }: Pick<Identity, "principal">) {
  if (principal?.kind === "token") {
    return { type: "token", name: principal.tokens[0]?.name ?? "" } as const;
  }
  return principal?.kind === "user" ? { type: "user", name: principal.name } as const : null;
}
