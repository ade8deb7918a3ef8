import { Problem } from "../core/errors/problem.ts";
import { allows } from "./tokens/scopes.ts";
import type { KnownToken } from "./tokens/tokens.ts";

/** Whom a request comes from. */
export type Principal =
  /** An admin by password (`session` null) or by a browser session. */
  | { readonly kind: "user"; readonly name: string; readonly session: string | null }
  /** A Bearer token; a file may have stored one value with several sets of paths. */
  | { readonly kind: "token"; readonly tokens: readonly KnownToken[] }
  /** The one-time code of the first start. */
  | { readonly kind: "setup" }
  /** The single-use token of a change on trial, for its confirm route and what is on trial only. */
  | { readonly kind: "confirm" };

/** Everything that is known of who asks. */
export interface Identity {
  readonly principal: Principal | null;
  /** True when credentials came with the request, good or bad. */
  readonly presented: boolean;
  /** A valid one-time password JWT of the user, or, beside a token, of any admin, came with it. */
  readonly otp: boolean;
  /** The user wants a JWT with every request. */
  readonly alwaysOn: boolean;
  /** State of the user's credentials; another one means that this identity no longer holds. */
  readonly epoch: string | null;
}

/** What is asked for. */
export interface AdmissionRequest {
  /** What the route asks for; null: there is no such route. */
  readonly access: "public" | "auth" | "password" | "otp" | "setup" | null;
  readonly method: string;
  /** The path as the router matched it. */
  readonly path: string;
  readonly setupOpen: boolean;
}

/** Routes that must work without a JWT: the ways to get one, and the way out. */
const WITHOUT_JWT: readonly string[] = ["/otp_validate", "/webauthn/validate", "/logout"];

/** Setup routes that an admin may call as well, and again. */
const ALSO_ADMINS: readonly string[] = ["/setup_done"];

/**
 * Lets a caller in or throws Problem: 401 without or with bad credentials, known path or not; 403
 * when they do not suffice; 404 for an unknown path with good ones. Answers who it is, for the record.
 */
export function admit(identity: Identity, request: AdmissionRequest): string {
  const { principal } = identity;
  if (request.access === "public") return principal ? nameOf(principal, request) : "anyone";
  if (principal === null) {
    throw new Problem(
      401,
      identity.presented ? "These credentials are not valid" : "Sign in first",
    );
  }
  if (principal.kind === "confirm") return "confirm";
  requireJwt(identity, request);
  if (request.access === null) throw new Problem(404, "There is nothing at this path");
  if (request.access === "setup" || principal.kind === "setup") {
    return admitSetup(principal, request);
  }
  if (principal.kind === "token") {
    if (request.access === "password") {
      throw new Problem(403, "This needs an admin who signed in by password, not a token");
    }
    if (!allowed(principal.tokens, request)) {
      throw new Problem(403, `This token does not cover ${request.method} ${request.path}`);
    }
  }
  if (request.access === "otp" && !identity.otp) throw invalidJwt();
  return nameOf(principal, request);
}

function admitSetup(principal: Principal, request: AdmissionRequest): string {
  if (request.access !== "setup") {
    throw new Problem(403, "The one-time code opens setup only; sign in with it as a password");
  }
  if (principal.kind === "token") {
    throw new Problem(403, "This needs the one-time code of the first start, not an API token");
  }
  if (principal.kind === "user" && ALSO_ADMINS.includes(request.path)) return principal.name;
  if (!request.setupOpen) throw new Problem(404, "Setup is done");
  if (principal.kind === "setup") return "setup";
  throw new Problem(403, "This needs the one-time code of the first start, as a Bearer token");
}

function requireJwt(identity: Identity, request: AdmissionRequest): void {
  if (!identity.alwaysOn || identity.otp || WITHOUT_JWT.includes(request.path)) return;
  throw invalidJwt();
}

/** Existing clients look for the words `Invalid JWT`. */
export function invalidJwt(): Problem {
  return new Problem(
    403,
    "Invalid JWT: prove your second factor first (PUT /otp_validate or /webauthn/validate)",
  );
}

function allowed(tokens: readonly KnownToken[], request: AdmissionRequest): boolean {
  return tokens.some(({ scopes }) => allows(scopes, request.method, request.path));
}

function nameOf(principal: Principal, request: AdmissionRequest): string {
  if (principal.kind === "user") return principal.name;
  if (principal.kind !== "token") return principal.kind;
  const token =
    principal.tokens.find(({ scopes }) => allows(scopes, request.method, request.path)) ??
      principal.tokens[0];
  return `token:${token?.name || token?.id}`;
}
