import type { PresentedCredentials } from "./identify.ts";

/** A JWT: three parts in base64url, the first of which is a JSON object (RFC 7519 3). */
const JWT = /^eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/**
 * The credentials in the first message of a WebSocket: `user:password`, `user:password:jwt`, or an API
 * token, which has no colon. A password may hold colons; only a last part that looks like a JWT is one.
 */
export function socketCredentials(
  text: string,
): Pick<PresentedCredentials, "authorization" | "jwt"> {
  if (!text.includes(":")) return { authorization: `Bearer ${text}`, jwt: null };
  const last = text.slice(text.lastIndexOf(":") + 1);
  const isJwt = JWT.test(last) && text.indexOf(":") < text.lastIndexOf(":");
  const pair = isJwt ? text.slice(0, -last.length - 1) : text;
  return {
    authorization: `Basic ${new TextEncoder().encode(pair).toBase64()}`,
    jwt: isJwt ? last : null,
  };
}
