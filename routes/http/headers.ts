import type { Context, MiddlewareHandler } from "hono";
import { cookieName, readCookie } from "../../system/access/identify.ts";
import { identityOf } from "./authentication.ts";
import { hostOf, requestHost } from "./host_names.ts";
import { peerFrom } from "./peer.ts";

/**
 * What our pages may do: load what we serve, nothing else. Styles set by scripts pass, as they go
 * through the object model; no inline script or style does.
 */
const POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-src 'self'",
  "frame-ancestors 'none'",
].join("; ");

const ALWAYS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
};
/** What a page may not ask for; the files of a page go by the policy of the page. */
const PERMISSIONS = "camera=(), geolocation=(), microphone=(), payment=(), usb=()";

/**
 * Adds the security headers to every answer, and keeps what the API answers out of every cache. A script
 * of somebody signed in may call the router's own `addresses` besides, so that a change that moves it
 * can be kept; others do not get them.
 */
export function securityHeaders(addresses: () => readonly string[] = () => []): MiddlewareHandler {
  return async (c, next) => {
    await next();
    // The answer that hands a connection over belongs to the server; a page never reads its headers.
    if (c.res.status === 101) return;
    const headers = mutable(c.res);
    for (const [name, value] of Object.entries(ALWAYS)) {
      if (!headers.has(name)) headers.set(name, value);
    }
    if (
      headers.get("content-type")?.startsWith("text/html") && !headers.has("permissions-policy")
    ) {
      headers.set("permissions-policy", PERMISSIONS);
    }
    // Elsewhere browsers ignore it, with an error in the console of every page.
    if (isTrustworthy(c)) headers.set("cross-origin-opener-policy", "same-origin");
    // A proxied plugin brings its own policy, made for a frame of ours.
    if (!headers.has("content-security-policy") && !isOfPage(c.req.path, headers)) {
      const others = await isSignedIn(c) ? addresses() : [];
      headers.set("content-security-policy", `${POLICY}; ${connections(c, others)}`);
      headers.set("x-frame-options", "DENY");
    }
    if (!headers.has("cache-control")) headers.set("cache-control", "no-store");

    function mutable(response: Response): Headers {
      try {
        response.headers.delete("x-powered-by");
        return response.headers;
      } catch {
        // Answers of fetch have frozen headers.
        c.res = new Response(response.body, response);
        return c.res.headers;
      }
    }
  };
}

/** True for a script or style of our pages: only the policy of the page that loads it counts (CSP3 4.2). */
function isOfPage(path: string, headers: Headers): boolean {
  return path.startsWith("/admin/assets/") &&
    /^text\/(javascript|css)\b/.test(headers.get("content-type") ?? "");
}

/** True for a browser with a session; others load no scripts of ours that need more, and cost no hash. */
async function isSignedIn(c: Context): Promise<boolean> {
  const name = cookieName(peerFrom(c).tls);
  if (readCookie(c.req.raw.headers.get("cookie"), name) === null) return false;
  try {
    return (await identityOf(c)).principal !== null;
  } catch {
    return false;
  }
}

/** True for TLS and for this very machine (W3C Secure Contexts 3.1). */
function isTrustworthy(c: Context): boolean {
  if (peerFrom(c).tls) return true;
  const host = hostOf(requestHost(c.req.raw));
  return host === "localhost" || host === "::1" || /^127\./.test(host ?? "");
}

/** Where scripts may connect to: here, and to the same port of the router's other addresses. */
function connections(c: Context, addresses: readonly string[]): string {
  const { tls } = peerFrom(c);
  const port = /:(\d{1,5})$/.exec(requestHost(c.req.raw).replace(/^\[.*\]/, ""))?.[1];
  const origins = addresses.map((address) => {
    const host = address.includes(":") ? `[${address}]` : address;
    return `${tls ? "https" : "http"}://${host}${port === undefined ? "" : `:${port}`}`;
  });
  return ["connect-src 'self'", ...origins].join(" ");
}
