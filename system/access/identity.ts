import { Problem, sentence } from "../core/errors/problem.ts";
import { isIncluded, requireRole, type Role } from "./roles.ts";
import { allows } from "./tokens/scopes.ts";
import type { KnownToken } from "./tokens/tokens.ts";

/** Who sent a request. */
export type Principal =
  /** A user by password (`session` null) or by a browser session. */
  | {
    readonly kind: "user";
    readonly name: string;
    readonly role: Role;
    readonly session: string | null;
  }
  /** A Bearer token; a file may have stored one value with several sets of paths. */
  | { readonly kind: "token"; readonly tokens: readonly PresentedToken[] }
  /** The setup code of the first start. */
  | { readonly kind: "setup" }
  /** The single-use confirm token of a change, for its confirm route and `/changes/window` only. */
  | { readonly kind: "confirm" };

/** A token, with the role of the user whom it acts for; `admin` for one that an admin made. */
export interface PresentedToken extends KnownToken {
  readonly role: Role;
}

/** The result of authentication. */
export interface Identity {
  readonly principal: Principal | null;
  /** True when credentials came with the request, good or bad. */
  readonly presented: boolean;
  /** A valid one-time password JWT of the user, or, beside a token, of any admin, came with it. */
  readonly otp: boolean;
  /** The user requires a JWT with every request. */
  readonly alwaysOn: boolean;
  /** Epoch of the user's credentials; once it differs, this identity is no longer valid. */
  readonly epoch: string | null;
}

/** The request that authorization decides about. */
export interface AdmissionRequest {
  /** What the route requires; null: there is no such route. */
  readonly access: "public" | "auth" | "password" | "otp" | "setup" | null;
  readonly method: string;
  /** The path as the router matched it. */
  readonly path: string;
  /** A WebSocket to a plugin. */
  readonly opensSocket?: boolean | undefined;
  readonly setupOpen: boolean;
  /** The setup code opens this route of access `auth`. */
  readonly duringSetup?: boolean | undefined;
}

/**
 * Routes that must work without a JWT: those that issue one, the clock that codes go by, and signing out.
 */
const WITHOUT_JWT: readonly string[] = ["/otp_validate", "/webauthn/validate", "/time", "/logout"];

/** Setup routes that an admin may call as well, even repeatedly. */
const ALSO_ADMINS: readonly string[] = ["/setup_done"];

/**
 * Authorizes a request, or throws Problem: 401 without or with bad credentials, known path or not;
 * 403 when they do not suffice; 404 for an unknown path. Returns the author for the change history.
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
      throw new Problem(
        403,
        sentence("This token does not cover {method} {path}", {
          method: request.method,
          path: request.path,
        }),
      );
    }
  } else if (principal.kind === "user") requireRole(principal.role, request);
  if (request.access === "otp" && !identity.otp) throw invalidJwt();
  return nameOf(principal, request);
}

function admitSetup(principal: Principal, request: AdmissionRequest): string {
  if (request.access !== "setup") {
    if (request.access === "auth" && request.duringSetup === true && request.setupOpen) {
      return "setup";
    }
    throw new Problem(403, "The one-time code opens setup only; sign in with it as a password");
  }
  if (principal.kind === "token") {
    throw new Problem(403, "This needs the one-time code of the first start, not an API token");
  }
  if (principal.kind === "user" && ALSO_ADMINS.includes(request.path)) {
    requireRole(principal.role, request);
    return principal.name;
  }
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
    `${INVALID_JWT}: prove your second factor first (PUT /otp_validate or /webauthn/validate)`,
  );
}

/**
 * Why a refusal by {@link admit} is a failed sign-in, in the words of existing clients; null where it is
 * none, or credentials that were no good, whose failure is reported where they are checked.
 */
export function refusalReason(
  { principal, presented }: Pick<Identity, "principal" | "presented">,
  { status, message }: Problem,
): string | null {
  if (status === 401) return presented ? null : "no credentials";
  if (status !== 403) return null;
  if (message.startsWith(INVALID_JWT)) return "invalid or missing JWT OTP";
  return principal?.kind === "token" ? "unauthorized token" : null;
}

const INVALID_JWT = "Invalid JWT";

function allowed(tokens: readonly PresentedToken[], request: AdmissionRequest): boolean {
  return tokens.some(({ scopes, role }) =>
    allows(scopes, request.method, request.path) && isIncluded(role, request)
  );
}

function nameOf(principal: Principal, request: AdmissionRequest): string {
  if (principal.kind === "user") return principal.name;
  if (principal.kind !== "token") return principal.kind;
  const token =
    principal.tokens.find(({ scopes }) => allows(scopes, request.method, request.path)) ??
      principal.tokens[0];
  return `token:${token?.name || token?.id}`;
}
