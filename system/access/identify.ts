import type { Config } from "../config.ts";
import type { ChangeEngine } from "../core/engine/change.ts";
import type { Accounts } from "./accounts.ts";
import type { Epochs } from "./epochs.ts";
import type { Identity, Principal } from "./identity.ts";
import type { Jwts } from "./otp/jwt.ts";
import type { Otp } from "./otp/otp.ts";
import { findUser, storedPassword } from "./rules.ts";
import type { Role } from "./roles.ts";
import type { Sessions } from "./sessions.ts";
import type { Setup } from "./setup.ts";
import { type KnownToken, loginUser, type PageTokens, type Tokens } from "./tokens/tokens.ts";

/** A parsed `Authorization` header. `bad`: present but unusable. */
export type Authorization =
  | { readonly kind: "none" }
  | { readonly kind: "bad" }
  | { readonly kind: "basic"; readonly user: string; readonly password: string }
  | { readonly kind: "bearer"; readonly token: string };

/** Name of the session cookie; that of plain HTTP is ignored under TLS. */
export function cookieName(tls: boolean): string {
  return tls ? "__Host-sluice" : "sluice-http";
}

/** Path of the event stream, to which browsers can add no header of ours. */
export const STREAM_PATH = "/events";

/** Name of the cookie that carries the one-time password JWT to {@link STREAM_PATH}, and only there. */
export function jwtCookieName(tls: boolean): string {
  return tls ? "__Secure-sluice-otp" : "sluice-otp-http";
}

/** Reads an `Authorization` header: Basic (RFC 7617, UTF-8) or Bearer (RFC 6750). */
export function parseAuthorization(header: string | null): Authorization {
  if (header === null) return { kind: "none" };
  const match = /^([A-Za-z]+) +([!-~]+)$/.exec(header.trim());
  const scheme = match?.[1]?.toLowerCase(), value = match?.[2];
  if (value === undefined) return { kind: "bad" };
  if (scheme === "bearer") return { kind: "bearer", token: value };
  return scheme === "basic" ? parseBasic(value) : { kind: "bad" };
}

function parseBasic(value: string): Authorization {
  let text: string;
  try {
    const bytes = Uint8Array.fromBase64(value, { lastChunkHandling: "loose" });
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { kind: "bad" };
  }
  const colon = text.indexOf(":");
  if (colon < 1 || text.includes("\0")) return { kind: "bad" };
  return { kind: "basic", user: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** The value of a cookie in a `Cookie` header (RFC 6265 section 4.2); null without one. */
export function readCookie(header: string | null, name: string): string | null {
  for (const pair of (header ?? "").split(";")) {
    const equals = pair.indexOf("=");
    if (equals > 0 && pair.slice(0, equals).trim() === name) {
      const value = pair.slice(equals + 1).trim();
      return value === "" ? null : value;
    }
  }
  return null;
}

/** The credentials of a request. */
export interface PresentedCredentials {
  /** The `Authorization` header as it is; null without one. */
  readonly authorization: string | null;
  /** Value of the session cookie of this transport. */
  readonly cookie: string | null;
  /** One-time password JWT. */
  readonly jwt: string | null;
  /** Source address of the connection. */
  readonly source: string;
  readonly tls: boolean;
  /** Says whether a Bearer value is the confirm token of the change that the path names. */
  readonly confirms: (token: string) => boolean | Promise<boolean>;
}

/** The stores that credentials are checked against. */
export interface IdentifyOptions {
  readonly engine: ChangeEngine<Config>;
  readonly accounts: Accounts;
  readonly tokens: Tokens;
  /** Tokens of plugin pages; absent: there are none. */
  readonly pages?: PageTokens | undefined;
  readonly sessions: Sessions;
  readonly otp: Otp;
  readonly setup: Setup;
  readonly jwts: Jwts;
  readonly epochs: Epochs;
}

/** Authenticates a request. A bad `Authorization` never falls back to the cookie. Throws Problem 429. */
export async function identify(
  options: IdentifyOptions,
  given: PresentedCredentials,
): Promise<Identity> {
  await options.accounts.syncUsers();
  const presented = given.authorization !== null || given.cookie !== null;
  const principal = given.authorization !== null
    ? await byAuthorization(options, given)
    : given.cookie !== null
    ? await bySession(options, given.cookie, given.tls)
    : null;
  return {
    principal,
    presented,
    otp: await holdsJwt(options, principal, given.jwt),
    alwaysOn: principal?.kind === "user" && options.otp.status(principal.name).AlwaysOn,
    epoch: principal?.kind === "user" ? options.epochs.of(principal.name) : null,
  };
}

/**
 * True while the credentials of a request are still valid: event streams stay open and check this
 * from time to time.
 */
export function isStillValid(options: IdentifyOptions, identity: Identity): boolean {
  const { principal, epoch } = identity;
  if (principal === null) return false;
  switch (principal.kind) {
    case "user":
      return options.epochs.of(principal.name) === epoch &&
        storedPassword(options.engine.config, principal.name) !== undefined &&
        (principal.session === null || options.sessions.holds(principal.session));
    case "token":
      // What the page of a plugin opened outlives its token, which it renews, but neither its user's
      // role nor the session that the page was opened in.
      return principal.tokens.some((token) =>
        token.user === undefined
          ? options.tokens.holds(token.id)
          : roleOfToken(options, token) === token.role && token.isSignedIn?.() !== false
      );
    case "setup":
      return options.setup.isOpen;
    case "confirm":
      return false;
  }
}

async function byAuthorization(
  options: IdentifyOptions,
  given: PresentedCredentials,
): Promise<Principal | null> {
  const credentials = parseAuthorization(given.authorization);
  if (credentials.kind === "basic") {
    const { user, password } = credentials;
    const ok = await options.accounts.verify({ user, password, source: given.source });
    return ok ? userPrincipal(options, user, null) : null;
  }
  if (credentials.kind !== "bearer") return null;
  const { token } = credentials;
  if (await given.confirms(token)) return { kind: "confirm" };
  const tokens = [...options.tokens.find(token), ...options.pages?.find(token) ?? []]
    .flatMap((one) => {
      const role = roleOfToken(options, one);
      return role === null ? [] : [{ ...one, role }];
    });
  if (tokens.length > 0) return { kind: "token", tokens };
  return await options.setup.accepts(token) ? { kind: "setup" } : null;
}

async function bySession(
  options: IdentifyOptions,
  secret: string,
  tls: boolean,
): Promise<Principal | null> {
  const session = await options.sessions.find(secret, tls);
  if (!session) return null;
  return userPrincipal(options, session.user, session.id);
}

/** The principal of a user as the configuration knows them now; null for one who is gone. */
function userPrincipal(
  { engine }: IdentifyOptions,
  name: string,
  session: string | null,
): Principal | null {
  const user = findUser(engine.config, name);
  return user === undefined ? null : { kind: "user", name, role: user.role, session };
}

/**
 * The role of the user whom a token acts for: whose passkey sign-in issued it, or who opened the page of a
 * plugin. Null where that user is gone. Admins make all others.
 */
function roleOfToken({ engine }: IdentifyOptions, token: KnownToken): Role | null {
  const user = userOfToken(token);
  return user === null ? "admin" : findUser(engine.config, user)?.role ?? null;
}

function userOfToken({ name, user }: KnownToken): string | null {
  return user ?? loginUser(name);
}

/** The user who signed in, or whom the token acts for; null for any other caller. */
export function userBehind(principal: Principal | null): string | null {
  if (principal?.kind === "user") return principal.name;
  if (principal?.kind !== "token") return null;
  return principal.tokens.map(userOfToken).find((user) => user !== null) ?? null;
}

/** True for an admin, and for a token that one made. */
export function isAdmin(principal: Principal | null): boolean {
  return principal?.kind === "user"
    ? principal.role === "admin"
    : principal?.kind === "token" && principal.tokens.some(({ role }) => role === "admin");
}

/** A user's JWT must be their own; with an API token any admin's is accepted. */
async function holdsJwt(
  options: IdentifyOptions,
  principal: Principal | null,
  token: string | null,
): Promise<boolean> {
  if (token === null || (principal?.kind !== "user" && principal?.kind !== "token")) return false;
  const user = await options.jwts.verify(token);
  if (user === null) return false;
  return principal.kind === "user"
    ? principal.name === user
    : findUser(options.engine.config, user)?.role === "admin" ||
      principal.tokens.some(({ name }) => loginUser(name) === user);
}
