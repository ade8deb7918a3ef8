import type { Context, MiddlewareHandler } from "hono";
import {
  cookieName,
  jwtCookieName,
  readCookie,
  STREAM_PATH,
} from "../../system/access/identify.ts";
import type { Identity } from "../../system/access/identity.ts";
import type { Access } from "../../system/access/open.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { isBrowser, protocolToken } from "./origin.ts";
import { peerFrom } from "./peer.ts";

/** Where the identity of a request is kept: nothing is looked at before someone asks. */
const KEY = "identity";

/** What authentication needs beside access itself. */
export interface AuthenticationOptions {
  /** True for the single-use token that confirms this change; `null`: whatever is on trial. */
  readonly confirms?: (change: string | null, token: string) => boolean | Promise<boolean>;
}

/**
 * Prepares finding out who asks. The check itself waits until {@link identityOf} is called, so that
 * public routes cost no hash, and runs once per request.
 */
export function authenticate(
  access: Access,
  options: AuthenticationOptions = {},
): MiddlewareHandler {
  return async (c, next) => {
    let found: Promise<Identity> | undefined;
    c.set(KEY, () => found ??= find(c, access, options));
    await next();
  };
}

/** Who asks. Throws Problem 429 where a password may not be looked at now. */
export async function identityOf(c: Context): Promise<Identity> {
  const find = c.get(KEY) as (() => Promise<Identity>) | undefined;
  if (!find) throw new Error("authenticate() does not stand before this route");
  return await find();
}

/** The admin who asks, and their session. Throws Problem 401, or 403 for a token and the like. */
export async function userOf(
  c: Context,
): Promise<{ readonly name: string; readonly session: string | null }> {
  const { principal, presented } = await identityOf(c);
  if (principal?.kind === "user") return principal;
  if (principal !== null) {
    throw new Problem(403, "This needs an admin who signed in by password, not a token");
  }
  throw withChallenge(
    c,
    new Problem(401, presented ? "These credentials are not valid" : "Sign in first"),
  );
}

/** Adds the challenge to a 401, for callers whose user it shows no dialog. */
export function withChallenge(c: Context, problem: Problem): Problem {
  if (problem.status !== 401 || isBrowser(c.req.raw.headers)) return problem;
  return new Problem(401, problem.message, {
    errors: problem.errors,
    members: problem.members,
    headers: {
      ...problem.headers,
      "www-authenticate": 'Basic realm="Sluice", charset="UTF-8", Bearer realm="Sluice"',
    },
  });
}

async function find(
  c: Context,
  access: Access,
  options: AuthenticationOptions,
): Promise<Identity> {
  const { headers } = c.req.raw;
  const { source, tls } = peerFrom(c);
  const change = confirmedChange(c);
  const token = protocolToken(c.req.raw);
  return await access.identify({
    authorization: headers.get("authorization") ?? (token === null ? null : `Bearer ${token}`),
    cookie: readCookie(headers.get("cookie"), cookieName(tls)),
    jwt: headers.get("x-jwt-otp") ?? headers.get("x-jwt-token") ?? streamJwt(c, tls),
    source,
    tls,
    confirms: (token) => change !== undefined && (options.confirms?.(change, token) ?? false),
  });
}

/** The JWT of a browser's event stream, which cannot set a header. Never counts anywhere else. */
function streamJwt(c: Context, tls: boolean): string | null {
  const { headers } = c.req.raw;
  if (c.req.method !== "GET" || c.req.path !== STREAM_PATH || headers.has("authorization")) {
    return null;
  }
  return readCookie(headers.get("cookie"), jwtCookieName(tls));
}

/**
 * The change that this request would confirm; null where it asks what is on trial, which a page needs
 * to find the router again under another address; undefined for any other request.
 */
function confirmedChange(c: Context): string | null | undefined {
  if (c.req.method === "GET" && c.req.path === "/changes/window") return null;
  if (c.req.method !== "PUT") return undefined;
  return /^\/changes\/([^/]+)\/confirm$/.exec(c.req.path)?.[1];
}
