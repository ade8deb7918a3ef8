import { type Accounts, type SessionClient, signInEvent, signOutEvent } from "../accounts.ts";
import type { Config } from "../../config.ts";
import type { Bus } from "../../core/events/bus.ts";
import type { ChangeEngine } from "../../core/engine/change.ts";
import type { Log } from "../../core/log/log.ts";
import { conflict, notFound, Problem, sentence } from "../../core/errors/problem.ts";
import type { PasswordGate } from "../password/password_gate.ts";
import type { Otp } from "../otp/otp.ts";
import type { PasskeyRateLimiter } from "./passkey_limits.ts";
import type {
  AssertionAnswer,
  CeremonyOptions,
  PasskeyLogin,
  PasskeyStatus,
  RegistrationAnswer,
} from "./passkey_schema.ts";
import type { Passkey, Passkeys } from "./passkeys.ts";
import { storedPassword } from "../rules.ts";
import type { OpenedSession, Sessions } from "../sessions.ts";
import type { Tokens } from "../tokens/tokens.ts";
import type { CeremonyContext, WebAuthn } from "./webauthn.ts";

/** Validity of the token of a passkey sign-in, in seconds (30 days). */
const TOKEN_SECONDS = 30 * 24 * 3600;

/** The stores and rules that {@link PasskeyAccess} combines. */
export interface PasskeyAccessOptions {
  readonly engine: ChangeEngine<Config>;
  readonly bus: Bus;
  readonly log: Log;
  readonly accounts: Accounts;
  readonly gate: PasswordGate;
  readonly rateLimiter: PasskeyRateLimiter;
  readonly otp: Otp;
  readonly passkeys: Passkeys;
  readonly sessions: Sessions;
  readonly tokens: Tokens;
  readonly webauthn: WebAuthn;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Passkeys of the admins: registration, deletion, verification and sign-in. */
export class PasskeyAccess {
  readonly #options: PasskeyAccessOptions;

  constructor(options: PasskeyAccessOptions) {
    this.#options = options;
  }

  status(user: string): PasskeyStatus {
    return this.#options.passkeys.status(user);
  }

  /** True when the user has a second factor, which changing factors then requires. */
  hasFactor(user: string): boolean {
    const { otp, passkeys } = this.#options;
    return otp.status(user).Confirmed || passkeys.of(user).length > 0;
  }

  /** Throws Problem 429. */
  beginRegistration(
    user: string,
    name: string,
    context: CeremonyContext,
  ): Promise<CeremonyOptions> {
    return this.#options.webauthn.beginRegistration(user, name, context);
  }

  /** Throws Problem 400, 409. */
  async finishRegistration(
    user: string,
    answer: RegistrationAnswer,
    source: string,
  ): Promise<PasskeyStatus> {
    const passkey = await this.#options.webauthn.finishRegistration(user, answer, source);
    await this.#options.otp.dropUnconfirmed(user);
    this.#publish("auth:webauthn:register", passkey, source);
    return this.status(user);
  }

  /**
   * Deletes a passkey, and what it gave: the sessions and tokens that it opened, and every JWT of the
   * user. Throws Problem 404, or 409 when
   * the user could not sign in any more.
   */
  async remove(user: string, id: string, source: string): Promise<PasskeyStatus> {
    const { engine, passkeys, sessions, tokens, bus } = this.#options;
    const own = passkeys.of(user);
    if (
      own.length === 1 && own[0]!.id === id &&
      (storedPassword(engine.config, user) ?? "") === ""
    ) {
      throw conflict(
        sentence("{user} has no password and could not sign in any more; set one first", { user }),
      );
    }
    if (!own.some((one) => one.id === id)) throw notFound("There is no such passkey");
    // First, and durably: what it gave must not outlive it, whatever fails after.
    await this.#options.accounts.revokeJwts(user);
    const passkey = await passkeys.remove(user, id);
    await sessions.endPasskey(id);
    await tokens.dropLogins(user);
    this.#publish("auth:webauthn:delete", passkey, source);
    bus.publish("auth:logout", signOutEvent({ type: "user", name: user, source }));
    return this.status(user);
  }

  /** Throws Problem 400 when the user has no passkey for this host, 429. */
  async beginValidation(user: string, context: CeremonyContext): Promise<CeremonyOptions> {
    this.#options.rateLimiter.check(context.source);
    return await this.#options.webauthn.beginAssertion("validate", user, context);
  }

  /** The JWT that proves the second factor. Throws Problem 400, 429. */
  async finishValidation(user: string, answer: AssertionAnswer, source: string): Promise<string> {
    const passkey = await this.#assert("validate", user, { answer, source });
    if (passkey === null) throw new Problem(400, "This passkey could not be verified; try again");
    const jwt = await this.#options.accounts.issueJwt(user);
    this.#options.bus.publish(
      "auth:success",
      signInEvent({ type: "user", name: user, source, reason: "webauthn" }),
    );
    return jwt;
  }

  /** Throws Problem 400 when there is no passkey for this host, 429. */
  async beginLogin(context: CeremonyContext): Promise<CeremonyOptions> {
    this.#options.rateLimiter.check(context.source);
    return await this.#options.webauthn.beginAssertion("login", null, context);
  }

  /** Signs in by a passkey: a browser session, and a token for clients. Throws Problem 400, 401, 429. */
  async login(
    answer: AssertionAnswer,
    end: SessionClient,
  ): Promise<{ readonly login: PasskeyLogin; readonly session: OpenedSession }> {
    const { engine, accounts, tokens, now } = this.#options;
    await accounts.syncUsers();
    const passkey = await this.#assert("login", null, { answer, source: end.source });
    if (passkey === null || storedPassword(engine.config, passkey.user) === undefined) {
      throw new Problem(401, "This passkey opens nothing here");
    }
    const { user } = passkey;
    const Expire = Math.floor(now() / 1000) + TOKEN_SECONDS;
    const token = await tokens.createLogin(user, Expire);
    const session = await accounts.openSession(user, end, { passkey: passkey.id, token: token.ID });
    return { login: { Name: token.Name, Token: token.Token, Expire }, session };
  }

  async #assert(
    kind: "validate" | "login",
    user: string | null,
    given: { readonly answer: AssertionAnswer; readonly source: string },
  ): Promise<Passkey | null> {
    const { rateLimiter, gate, webauthn, bus, log } = this.#options;
    const { source } = given;
    rateLimiter.check(source);
    const assertion = await webauthn.finishAssertion(kind, user, given);
    if (assertion.ok) {
      const { passkey, cloned } = assertion;
      if (cloned) {
        log.warn(
          "access.passkey_counter_replayed",
          "A passkey's signature counter did not increase: it may have been cloned",
          {
            username: passkey.user,
            credential: passkey.name,
          },
        );
      }
      return passkey;
    }
    await rateLimiter.fail(source);
    // Each failure counts, since each completes a ceremony of its own.
    gate.addFailure(source, assertion.user ?? "", given.answer.session);
    const reason = kind === "login" ? "webauthn login failed" : "webauthn validation failed";
    bus.publish(
      "auth:failure",
      signInEvent({ type: "user", name: assertion.user ?? "", source, reason }),
    );
    log.warn("access.passkey_failed", "Passkey verification failed", {
      source,
      reason: assertion.reason,
    });
    return null;
  }

  #publish(topic: string, passkey: Passkey, source: string): void {
    this.#options.bus.publish(topic, {
      username: passkey.user,
      credential: passkey.name,
      ip: source,
      addr: source,
    });
  }
}
