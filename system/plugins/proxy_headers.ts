import { PROXIED_HEADER } from "../core/ipc/unix_socket.ts";
import type { Header } from "../core/ipc/http/head.ts";

/** Request headers that a plugin gets: what its answer depends on, and nothing that says who calls. */
const TO_PLUGIN: ReadonlySet<string> = new Set([
  ...["accept", "accept-charset", "accept-language", "cache-control", "pragma"],
  ...["content-disposition", "content-encoding", "content-language", "content-type"],
  ...["if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since"],
  ...["last-event-id", "range", "user-agent", "x-requested-with"],
]);

/**
 * Response headers that a plugin may not set: those of the connection, and those that act on the whole
 * origin, on its credentials or on what the pages of the router may do.
 */
const NEVER_BACK: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding"],
  ...["upgrade", "http2-settings"],
  ...["set-cookie", "set-cookie2", "clear-site-data", "service-worker-allowed"],
  ...["www-authenticate", "proxy-authenticate", "authentication-info", "proxy-authentication-info"],
  ...[
    "strict-transport-security",
    "public-key-pins",
    "expect-ct",
    "alt-svc",
    "origin-agent-cluster",
  ],
  ...["nel", "report-to", "reporting-endpoints", "content-security-policy-report-only"],
  ...["x-frame-options", "x-spr-auth-error", "x-powered-by", "permissions-policy", "refresh"],
  ...["change-id", "confirm-token", "confirm-until", "router-addresses"],
]);

/** Beginnings of further headers that a plugin may not set. */
const NEVER_BEGINNING: readonly string[] = ["access-control-", "cross-origin-", "sec-"];

/** The caller of a plugin. */
export interface PluginCaller {
  /** The author of the change history: `admin`, `token:<name>`. */
  readonly by: string;
  readonly source: string;
  readonly tls: boolean;
  /** The `Host` of the request. */
  readonly host: string;
}

/** Name of the header by which a plugin knows who calls; no client can set it. */
const CALLER_HEADER = "sluice-caller";

/** Headers of the request to a plugin. Names that the client listed in `Connection` are left out. */
export function headersToPlugin(
  from: Iterable<Header>,
  plugin: { readonly Name: string; readonly URI: string },
  caller: PluginCaller,
): readonly Header[] {
  const headers = new Map([["host", caller.host]]), hops = new Set<string>();
  for (const [name, value] of from) {
    const lower = name.toLowerCase();
    if (TO_PLUGIN.has(lower)) headers.set(lower, value);
    else if (lower === "connection") addHops(hops, value);
  }
  for (const name of hops) if (TO_PLUGIN.has(name)) headers.delete(name);
  // Pages get values put into them.
  headers.set("accept-encoding", "identity");
  headers.set("x-forwarded-for", caller.source);
  headers.set("x-forwarded-host", caller.host);
  headers.set("x-forwarded-proto", caller.tls ? "https" : "http");
  headers.set("x-forwarded-prefix", `/plugins/${plugin.URI}`);
  headers.set(CALLER_HEADER, encodeURIComponent(caller.by));
  headers.set(PROXIED_HEADER, plugin.Name);
  return [...headers];
}

/** What a proxied answer is allowed to be. */
export interface AnswerRules {
  readonly URI: string;
  readonly sandboxed: boolean;
}

/** Keeps an opaque origin for pages, so that they have neither the session nor storage of the router. */
const SANDBOX = "sandbox allow-scripts allow-forms; frame-ancestors 'self'";
const UNCONFINED = "frame-ancestors 'self'; base-uri 'self'; object-src 'none'";

/**
 * Headers of a plugin's answer as a client gets them. Its own policy stays, and one of ours stands
 * beside it, so that both hold.
 */
export function headersFromPlugin(
  from: Iterable<readonly [string, string]>,
  rules: AnswerRules,
): Headers {
  const sent: Header[] = [], hops = new Set<string>();
  for (const [name, value] of from) {
    const lower = name.toLowerCase();
    if (lower === "connection") addHops(hops, value);
    else sent.push([lower, value]);
  }
  const headers = new Headers();
  for (const [name, value] of sent) {
    const isRefused = NEVER_BACK.has(name) || hops.has(name) ||
      NEVER_BEGINNING.some((beginning) => name.startsWith(beginning));
    if (isRefused) continue;
    if (name !== "location" && name !== "content-location") headers.append(name, value);
    else {
      const target = targetBelow(value, rules.URI);
      if (target !== null) headers.set(name, target);
    }
  }
  headers.append("content-security-policy", rules.sandboxed ? SANDBOX : UNCONFINED);
  headers.set("x-content-type-options", "nosniff");
  return headers;
}

/**
 * Where a plugin sends a client on to, as seen from outside: a path stays below its prefix. Null for
 * what is no web address.
 */
export function targetBelow(location: string, uri: string): string | null {
  const base = `http://plugin.invalid/plugins/${uri}/`;
  const below = /^\/(?![/\\])/.test(location) ? `/plugins/${uri}${location}` : location;
  const url = URL.parse(below, base);
  if (url === null || !["http:", "https:"].includes(url.protocol)) return null;
  if (url.hostname !== "plugin.invalid") return url.href;
  const { pathname, search, hash } = url;
  // A relative target is resolved by the client, against a path that is not known here.
  if (!below.startsWith("/")) {
    return /^[^/\\]*:|(^|\/)\.\.?(\/|$)|%2e|\\/i.test(below) ? null : below;
  }
  return pathname.startsWith(`/plugins/${uri}/`) ? pathname + search + hash : null;
}

/** Adds the headers that belong to one connection, as it names them (RFC 9110 section 7.6.1). */
function addHops(hops: Set<string>, value: string): void {
  for (const name of value.split(",")) hops.add(name.trim().toLowerCase());
}
