import type { MiddlewareHandler } from "hono";

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
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};

/** Adds the security headers to every answer, and keeps what the API answers out of every cache. */
export function securityHeaders(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    const headers = mutable(c.res);
    for (const [name, value] of Object.entries(ALWAYS)) {
      if (!headers.has(name)) headers.set(name, value);
    }
    // A proxied plugin brings its own policy, made for a frame of ours.
    if (!headers.has("content-security-policy")) {
      headers.set("content-security-policy", POLICY);
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
