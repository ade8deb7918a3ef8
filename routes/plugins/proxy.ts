import type { Context } from "hono";
import type { Identity } from "../../system/access/identity.ts";
import type { Caller } from "../../system/core/engine/change.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { away, type PluginChannel, type PluginChannels } from "../../system/plugins/channels.ts";
import type { HttpAnswer } from "../../system/core/ipc/http/connection.ts";
import { asTarget } from "../../system/core/ipc/http/head.ts";
import {
  type HttpRequest,
  SourceFault,
  type StreamedBody,
} from "../../system/core/ipc/http/sending.ts";
import { headersFromPlugin, headersToPlugin } from "../../system/plugins/proxy_headers.ts";
import { isSandboxed, type Plugin } from "../../system/plugins/schema.ts";
import type { UiSessions } from "../../system/plugins/ui_sessions.ts";
import { matchPlugin, type PluginRoot, type PluginTarget } from "../../system/plugins/uri.ts";
import { identityOf } from "../http/authentication.ts";
import { requestHost } from "../http/host_names.ts";
import { isUpgrade, sentPath } from "../http/origin.ts";
import { type Peer, peerFrom } from "../http/peer.ts";
import { redirectTo } from "../http/registered_path.ts";
import { isFramedPage, withPageGlobals } from "./page_globals.ts";
import { relayWebSocket } from "./web_socket.ts";

/** Milliseconds without progress, of what is sent or until the answer begins. */
const RESPONSE_TIMEOUT_MS = 60_000;
/** Bytes of a body that is sent with its length, as some plugins want it; a longer one streams. */
const MAX_SENT_WHOLE = 64 << 10;
/** Bytes of a longer one that wait to be sent. */
const UPLOAD_WINDOW = 512 << 10;

const METHODS: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
/** Those of them that ask for nothing to be done. */
const SAFE: readonly string[] = ["GET", "HEAD"];

/** Packed bytes that are unpacked at a time: each may become a thousand. */
const PIECE = 1024;
const FORMATS: Readonly<Record<string, CompressionFormat>> = {
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
};

/** What the proxy needs. */
export interface ProxyDeps {
  readonly channels: PluginChannels;
  readonly sessions: Pick<UiSessions, "open">;
  readonly authorize: (
    c: Context,
    route: { readonly access: "auth" | "public"; readonly opensSocket: boolean },
  ) => Promise<Caller> | Caller;
  /** True while the credentials of a WebSocket are still valid. */
  readonly holds: (identity: Identity) => boolean;
}

/**
 * Passes a request on to the plugin that its path means; null where it means none, for anybody who asks.
 * Throws Problem 400 to 503.
 */
export async function proxyRequest(c: Context, deps: ProxyDeps): Promise<Response | null> {
  const { channels } = deps;
  const target = targetOf(c, channels);
  if (target === null) return null;
  const isPublic = isStatic(c, target);
  const { by } = await deps.authorize(c, {
    access: isPublic ? "public" : "auth",
    opensSocket: isUpgrade(c.req.raw.headers),
  });
  if ("redirect" in target) return redirectTo(c, target.redirect);
  const { raw } = c.req;
  if (!METHODS.includes(raw.method)) {
    throw new Problem(405, `${raw.method} is not passed on to plugins`, {
      headers: { allow: METHODS.join(", ") },
    });
  }
  if (raw.headers.has("service-worker")) {
    throw new Problem(403, "A plugin may not run a service worker for the router's pages");
  }
  const channel = channels.to(target.plugin);
  const { source, tls } = peerFrom(c);
  const host = requestHost(raw);
  const headers = headersToPlugin(raw.headers, target.plugin, { by, source, tls, host });
  const wire = asTarget(`${target.path}${queryOf(raw.url)}`);
  if (isUpgrade(raw.headers)) {
    const identity = await identityOf(c), holds = () => deps.holds(identity);
    return await relayWebSocket(c, { channel, headers, target: wire }, holds);
  }
  const answer = await forward(c, channel, { method: raw.method, target: wire, headers });
  // A sandboxed page has an origin of its own, to which its modules and fonts would be another's.
  if (isPublic) answer.headers.set("access-control-allow-origin", "*");
  if (!isFramedPage(raw, target.plugin, target.path)) return answer;
  const origin = `${tls ? "https" : "http"}://${host}`, { plugin } = target;
  const identity = await identityOf(c), { principal } = identity;
  const user = principal?.kind === "user" ? principal.name : null;
  const isSignedIn = (): boolean => deps.holds(identity);
  return withPageGlobals(answer, { plugin, sessions: deps.sessions, user, isSignedIn, origin });
}

/** True for a file of a page, which a sandboxed frame loads without credentials. */
function isStatic(c: Context, target: PluginTarget<Plugin> | PluginRoot): boolean {
  return SAFE.includes(c.req.method) && !isUpgrade(c.req.raw.headers) && "plugin" in target &&
    target.plugin.HasUI &&
    target.path.startsWith("/static/");
}

/** A path of a plugin as existing pages have it. */
function pluginPath(c: Context): string {
  return sentPath(c.req.url).replace(/^\/admin\/custom_plugin\//, "/plugins/");
}

function targetOf(c: Context, channels: PluginChannels): PluginTarget<Plugin> | PluginRoot | null {
  try {
    return matchPlugin(channels.served(), pluginPath(c));
  } catch (error) {
    if (error instanceof URIError) {
      throw new Problem(400, `This path is malformed: ${error.message}`);
    }
    throw error;
  }
}

async function forward(
  c: Context,
  channel: PluginChannel,
  request: Omit<HttpRequest, "body">,
): Promise<Response> {
  const { raw } = c.req, { plugin, client, ended } = channel;
  const answered = channel.waits();
  const leaving = new AbortController(), leave = (): void => leaving.abort();
  let isLate = false;
  const late = (): void => {
    isLate = true;
    leave();
  };
  let timer = setTimeout(late, RESPONSE_TIMEOUT_MS);
  const progress = (): void => {
    clearTimeout(timer);
    timer = setTimeout(late, RESPONSE_TIMEOUT_MS);
  };
  raw.signal.addEventListener("abort", leave);
  try {
    const body = await bodyOf(raw, { progress, pace: peerFrom(c).pace });
    return answerOf(await client.ask({ ...request, body }, leaving.signal), channel);
  } catch (error) {
    if (raw.signal.aborted) throw error;
    if (ended.aborted) throw new Problem(404, `The plugin ${plugin.Name} was turned off`);
    if (isLate) throw away(plugin, "it has not answered in time");
    if (error instanceof Problem) throw error;
    if (error instanceof SourceFault) throw new Problem(400, error.message, { cause: error });
    throw away(plugin, "it does not run, or ended the connection early");
  } finally {
    raw.signal.removeEventListener("abort", leave);
    clearTimeout(timer);
    answered();
  }
}

/** What is sent on: a short body of a known length as a whole, any other as it comes. */
async function bodyOf(
  raw: Request,
  { progress, pace }: { readonly progress: () => void; readonly pace: Peer["pace"] },
): Promise<Uint8Array | StreamedBody | null> {
  if (raw.body === null || SAFE.includes(raw.method)) return null;
  const announced = raw.headers.get("content-length");
  const length = announced === null ? null : Number(announced);
  if (length !== null && length <= MAX_SENT_WHOLE) return new Uint8Array(await raw.arrayBuffer());
  // By HTTP/2 there is no such header.
  const paced = raw.headers.has("host") ? pace?.(UPLOAD_WINDOW) : undefined;
  return {
    stream: raw.body,
    length,
    progress(bytes) {
      progress();
      paced?.read(bytes);
    },
    ...(paced === undefined ? {} : { starves: paced.starves, over: paced.end }),
  };
}

function answerOf(
  { status, headers: sent, body }: HttpAnswer,
  { plugin }: PluginChannel,
): Response {
  if (status > 599) {
    if (body instanceof ReadableStream) void body.cancel().catch(() => {});
    throw away(plugin, `it answered with status ${status}`);
  }
  const headers = headersFromPlugin(sent, { URI: plugin.URI, sandboxed: isSandboxed(plugin) });
  if (status !== 205) return unpacked(new Response(body, { status, headers }));
  // It has no body by its meaning, whatever was sent (RFC 9110 section 15.3.6).
  if (body instanceof ReadableStream) void body.cancel().catch(() => {});
  return new Response(null, { status, headers });
}

/**
 * An answer that a plugin packed although it was asked not to, unpacked, since the client may not read it
 * and a page gets values put into it. What is packed otherwise stays as it is, and says so.
 */
function unpacked(response: Response): Response {
  const { status, headers } = response;
  const format = FORMATS[headers.get("content-encoding")?.trim().toLowerCase() ?? ""];
  if (format === undefined || status === 206) return response;
  for (const name of ["content-encoding", "content-length"]) headers.delete(name);
  // Only now: a body of bytes costs several times as much once it is looked at as a stream.
  const { body } = response;
  if (body === null) return response;
  const pieces = body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        for (let at = 0; at < chunk.length; at += PIECE) {
          controller.enqueue(chunk.subarray(at, at + PIECE));
        }
      },
    }),
  );
  return new Response(pieces.pipeThrough(new DecompressionStream(format)), { status, headers });
}

function queryOf(url: string): string {
  const start = url.indexOf("?");
  return start < 0 ? "" : url.slice(start).replace(/#.*$/s, "");
}
