import { isSandboxed, type Plugin } from "../../system/plugins/schema.ts";
import type { UiSessions } from "../../system/plugins/ui_sessions.ts";

/** Version of the messages between the router's page and that of a plugin. */
export const PAGE_PROTOCOL = 1;

/** Bytes of a page in which its head is looked for. */
const HEAD_BYTES = 64 << 10;

/** Where a page is served. */
export interface PageFrame {
  readonly plugin: Plugin;
  readonly sessions: Pick<UiSessions, "open">;
  /** Who signed in; null for a token, with which no page gets another. */
  readonly user: string | null;
  /** False once they are signed out. */
  readonly isSignedIn: () => boolean;
  /** `https://router.lan`, as the browser called the router. */
  readonly origin: string;
}

/** True for the page of a plugin that a browser loads into a frame. */
export function isFramedPage(request: Request, plugin: Plugin, path: string): boolean {
  return request.method === "GET" && path === "/" && plugin.HasUI &&
    request.headers.get("sec-fetch-dest") === "iframe";
}

/**
 * The page with the values that pages of existing plugins read before their own scripts run: where the
 * API is, which plugin they are, and for a sandboxed page a token for its own path, which may do there what
 * its user may. Anything but HTML stays as it is.
 */
export function withPageGlobals(response: Response, frame: PageFrame): Response {
  const { status, body, headers } = response;
  const isHtml = /^text\/html\b/i.test(headers.get("content-type") ?? "");
  if (!isHtml || status !== 200 || body === null) return response;
  // The page has a token in it, and another length than the plugin said.
  for (const name of ["content-length", "etag", "last-modified"]) headers.delete(name);
  headers.set("cache-control", "no-store");
  const script = new TextEncoder().encode(`<script>${globalsOf(frame)}</script>`);
  return new Response(body.pipeThrough(insertedInHead(script)), { status, headers });
}

function globalsOf({ plugin, sessions, user, isSignedIn, origin }: PageFrame): string {
  const { Name, URI, GitURL } = plugin;
  const session = user !== null && isSandboxed(plugin)
    ? sessions.open(URI, { user, isSignedIn, replace: null })
    : null;
  const globals = {
    SPR_API_URL: `${origin}/`,
    SPR_PLUGIN: { Name, URI, GitURL },
    ...(session === null ? {} : {
      SPR_API_TOKEN: session.token,
      SPR_API_TOKEN_EXPIRES_AT: session.expiresAt,
      SPR_PLUGIN_UI_AUTH_VERSION: PAGE_PROTOCOL,
    }),
  };
  return `Object.assign(window, ${JSON.stringify(globals).replaceAll("<", "\\u003c")})`;
}

/** Puts bytes where the head of an HTML page begins, or would. */
function insertedInHead(
  bytes: Uint8Array<ArrayBuffer>,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  /** What came so far, as Latin-1: a character for each byte. Null once the bytes are in. */
  let text: string | null = "";
  const latin1 = (part: Uint8Array): string => {
    let read = "";
    for (const byte of part) read += String.fromCharCode(byte);
    return read;
  };
  const write = (part: string): Uint8Array<ArrayBuffer> =>
    Uint8Array.from(part, (character) => character.charCodeAt(0));
  const insert = (
    controller: TransformStreamDefaultController<Uint8Array<ArrayBuffer>>,
    whole: string,
    at: number,
  ): void => {
    for (const part of [write(whole.slice(0, at)), bytes, write(whole.slice(at))]) {
      if (part.length > 0) controller.enqueue(part);
    }
    text = null;
  };
  return new TransformStream({
    transform(chunk, controller) {
      if (text === null) return controller.enqueue(chunk);
      text += latin1(chunk);
      const head = /<head(?:\s[^>]*)?>/i.exec(text);
      if (head !== null) insert(controller, text, head.index + head[0].length);
      else if (text.length > HEAD_BYTES) insert(controller, text, headless(text));
    },
    flush(controller) {
      if (text !== null) insert(controller, text, headless(text));
    },
  });
}

/** Where the head of a page without one begins: behind its document type. */
function headless(text: string): number {
  return /^\s*(?:<!doctype[^>]*>)?\s*(?:<html[^>]*>)?/i.exec(text)![0].length;
}
