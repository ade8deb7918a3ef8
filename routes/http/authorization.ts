import type { Context } from "hono";
import { admit, type Identity } from "../../system/access/identity.ts";
import type { Access } from "../../system/access/open.ts";
import type { Caller } from "../../system/core/engine/change.ts";
import { parseAddress } from "../../system/core/net/net.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { SESSION_PREFIX } from "../../system/plugins/ui_sessions.ts";
import { identityOf, withChallenge } from "./authentication.ts";
import { hostOf, requestHost } from "./host_names.ts";
import { peerFrom } from "./peer.ts";
import type { RouteDescription } from "./route.ts";

/** What is to be decided beside who asks. */
export interface AuthorizeOptions {
  readonly access: Access;
  /** Port of the listener that a request came to, where its `Host` says nothing. */
  readonly port?: (tls: boolean) => number;
}

/** What a route requires of its callers. */
type Guarded = Pick<RouteDescription, "access" | "duringSetup"> & {
  /** A WebSocket to a plugin. */
  readonly opensSocket?: boolean;
};

const NOBODY: Identity = {
  principal: null,
  presented: false,
  otp: false,
  alwaysOn: false,
  epoch: null,
};

/**
 * Lets callers in or throws Problem 401, 403, 404, 429. `null` for a path without a route: 401
 * without credentials, 404 with them, so that an unauthenticated caller does not learn which paths exist.
 */
export function authorizer(
  options: AuthorizeOptions,
): (c: Context, route: Guarded | null) => Promise<Caller> {
  return async (c, route) => {
    const access = route?.access ?? null;
    // Public routes serve everyone and look at credentials themselves where they matter.
    const identity = access === "public" ? NOBODY : await identityOf(c);
    try {
      const by = admit(identity, {
        access,
        method: c.req.method,
        path: c.req.path,
        setupOpen: options.access.setup.isOpen,
        duringSetup: route?.duringSetup,
        opensSocket: route?.opensSocket,
      });
      return { by, from: peerFrom(c).source, connection: connectionOf(c, options) };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      options.access.refused(identity, error, peerFrom(c).source);
      throw isPageToken(c) ? pageProblem(error) : withChallenge(c, error);
    }
  };
}

/** True for a request with the token of a plugin's page. */
function isPageToken(c: Context): boolean {
  return new RegExp(`^bearer +${SESSION_PREFIX}`, "i").test(c.req.header("authorization") ?? "");
}

/** A refusal as pages of plugins know it: they get another token on `invalid_token`, and only then. */
function pageProblem(problem: Problem): Problem {
  if (problem.status !== 401 && problem.status !== 403) return problem;
  const error = problem.status === 401 ? "invalid_token" : "insufficient_scope";
  return new Problem(problem.status, problem.message, {
    members: { error },
    headers: {
      "x-spr-auth-error": error,
      "www-authenticate": `Bearer realm="spr-plugin-ui", error="${error}"`,
    },
  });
}

/**
 * The caller's own connection, for the lock-out guard. A listener on every address does not know
 * which was called; the `Host` tells when it is an address, and who forges it harms only themselves.
 */
function connectionOf(c: Context, options: AuthorizeOptions): Caller["connection"] {
  const { source, local, tls } = peerFrom(c);
  if (local) return { source, destination: local.address, port: local.port };
  const header = requestHost(c.req.raw);
  const host = hostOf(header);
  if (host === null || parseAddress(host) === null) return null;
  const named = /:(\d{1,5})$/.exec(header.replace(/^\[.*\]/, ""))?.[1];
  const port = options.port?.(tls) ?? Number(named ?? (tls ? 443 : 80));
  return { source, destination: host, port };
}
