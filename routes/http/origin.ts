import type { Context, MiddlewareHandler } from "hono";
import { Problem } from "../../system/core/errors/problem.ts";
import { isOurHost, requestHost } from "./host_names.ts";
import { peerFrom } from "./peer.ts";

const METHODS = "GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS";
const SAFE: readonly string[] = ["GET", "HEAD", "OPTIONS"];
const REQUEST_HEADERS = [
  "Accept",
  "Authorization",
  "Confirm-Within",
  "Content-Type",
  "If-Match",
  "If-Modified-Since",
  "If-None-Match",
  "If-Range",
  "If-Unmodified-Since",
  "Last-Event-ID",
  "Range",
  "X-JWT-OTP",
  "X-JWT-Token",
  "X-Requested-With",
].join(", ");
const EXPOSED = [
  "Change-Id",
  "Confirm-Token",
  "Confirm-Until",
  "Content-Range",
  "ETag",
  "Retry-After",
  "Router-Addresses",
  "WWW-Authenticate",
  "X-SPR-Auth-Error",
].join(", ");

/** Paths that a plugin responds to. */
const PLUGINS = /^\/+(plugins|admin\/+custom_plugin)(\/|$)/;

/** What the guard needs to know. */
export interface OriginOptions {
  /** Names under which the router answers, beside IP literals and `localhost`. */
  readonly names: () => ReadonlySet<string>;
}

/**
 * Keeps pages of other sites from acting with what the browser holds: an unknown `Host` is 421 (a
 * foreign name that points at us), a foreign origin on a write or a WebSocket 403, a body that a
 * plain form could send 415. Answers preflights. Bearer requests may come from anywhere.
 */
export function originGuard(options: OriginOptions): MiddlewareHandler {
  return async (c, next): Promise<Response | void> => {
    const { headers } = c.req.raw;
    const host = requestHost(c.req.raw);
    if (!isOurHost(host, options.names())) {
      throw new Problem(421, `This router is not called "${host.slice(0, 100)}"; use its address`);
    }
    checkPluginPath(c.req.url);
    if (c.req.method === "OPTIONS") return preflight(headers);
    const inProtocol = protocolToken(c.req.raw) !== null;
    const bearer = isBearer(headers) || inProtocol;
    if (!bearer) guardAmbient(c, host);
    else if (isUpgrade(headers) && !inProtocol && !isOurs(headers, host, peerFrom(c).tls)) {
      throw foreign();
    }
    await next();
    if (bearer && headers.has("origin") && c.res.status !== 101) allowEveryOrigin(c);
  };
}

function guardAmbient(c: Context, host: string): void {
  const { headers } = c.req.raw;
  if (SAFE.includes(c.req.method) && !isUpgrade(headers)) return;
  if (!isOurs(headers, host, peerFrom(c).tls)) throw foreign();
  if (!hasBrowserMarks(headers)) return;
  const type = headers.get("content-type");
  const isJson = /^application\/json\s*(;|$)/i.test(type ?? "");
  const hasBody = Number(headers.get("content-length") ?? 0) > 0 ||
    headers.has("transfer-encoding");
  if (isJson || type === null && !hasBody) return;
  throw new Problem(415, "Send the body as application/json");
}

/** True when neither `Origin` nor `Sec-Fetch-Site` speaks of another site. */
function isOurs(headers: Headers, host: string, tls: boolean): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") return false;
  const origin = headers.get("origin");
  if (origin === null) return true;
  const ours = (scheme: string) => URL.parse(`${scheme}://${host}`)?.origin;
  // A page loaded over TLS from a proxy in front of us is no weaker than one loaded from us.
  return origin === ours("https") || !tls && origin === ours("http");
}

/** True for the handshake of a WebSocket. */
export function isUpgrade(headers: Headers): boolean {
  return headers.get("upgrade")?.toLowerCase() === "websocket";
}

function foreign(): Problem {
  return new Problem(403, "Pages of another origin may not do this with a browser's sign-in");
}

function preflight(headers: Headers): Response {
  const answer = new Response(null, { headers: { "content-length": "0", allow: METHODS } });
  if (headers.has("origin") && headers.has("access-control-request-method")) {
    answer.headers.set("access-control-allow-origin", "*");
    answer.headers.set("access-control-allow-methods", METHODS);
    answer.headers.set("access-control-allow-headers", REQUEST_HEADERS);
    answer.headers.set("access-control-max-age", "600");
  }
  return answer;
}

/** Never together with `Access-Control-Allow-Credentials`: only what the page itself sent counts. */
function allowEveryOrigin(c: Context): void {
  c.res.headers.set("access-control-allow-origin", "*");
  c.res.headers.set("access-control-expose-headers", EXPOSED);
}

/** True for a request that a web page may have made: such callers get no sign-in dialog. */
export function isBrowser(headers: Headers): boolean {
  // Over plain HTTP to another machine browsers leave Sec-Fetch-* out, hence the other marks.
  return hasBrowserMarks(headers) || /^Mozilla\//.test(headers.get("user-agent") ?? "");
}

/** True when the request carries a header that only browsers set on behalf of a page. */
function hasBrowserMarks(headers: Headers): boolean {
  return headers.has("origin") || headers.has("sec-fetch-site");
}

/** How a protocol of a WebSocket begins that carries a token, since pages can add no header to one. */
export const TOKEN_PROTOCOL = "sluice-token.";

/** The token that the page of a plugin sends with the handshake of a WebSocket; null for none. */
export function protocolToken({ headers, url }: Request): string | null {
  if (!isUpgrade(headers) || !PLUGINS.test(sentPath(url)) || headers.has("authorization")) {
    return null;
  }
  const found = (headers.get("sec-websocket-protocol") ?? "").split(",").map((one) => one.trim())
    .find((one) => one.startsWith(TOKEN_PROTOCOL));
  return found?.slice(TOKEN_PROTOCOL.length) ?? null;
}

/** True for a request whose credentials are a Bearer token, which no browser sends by itself. */
function isBearer(headers: Headers): boolean {
  return /^bearer /i.test(headers.get("authorization")?.trimStart() ?? "");
}

/**
 * Throws Problem 400 for a path under `/plugins/` that a proxy and a plugin could read differently:
 * encoded or odd separators, or a segment that decodes, once or twice, to a dot segment.
 */
export function checkPluginPath(url: string): void {
  const path = sentPath(url);
  // The prefix itself may be written with escapes, which the router decodes.
  if (!PLUGINS.test(path) && !PLUGINS.test(decodeOnce(path))) return;
  if (/%2f|%5c|[\\;]/i.test(path) || path.split("/").some(isDots)) {
    throw new Problem(
      400,
      "A path under /plugins/ holds no encoded separators and no dot segments",
    );
  }
}

function isDots(segment: string): boolean {
  const once = decodeOnce(segment), twice = decodeOnce(once);
  return [segment, once, twice].some((text) => text === "." || text === "..");
}

/** Percent-decoding that leaves malformed escapes as they are. */
function decodeOnce(text: string): string {
  return text.replace(
    /%([0-7][0-9a-f])/gi,
    (_, hex: string) => String.fromCharCode(parseInt(hex, 16)),
  );
}

/** The path as it came over the wire: neither resolved nor decoded, as a URL object would have it. */
export function sentPath(url: string): string {
  const rest = url.replace(/^[a-z]+:\/\/[^/?#]*/i, "");
  return rest.replace(/[?#].*$/s, "");
}
