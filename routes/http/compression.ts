import { gzipSync } from "node:zlib";
import type { Context } from "hono";
import type { PeerEnv } from "./peer.ts";

/** Bytes from which on an answer is compressed: smaller ones are sent in as many packets. */
const LEAST_BYTES = 4096;
/** Of 1 to 9: 525 KB of devices take 0.9 ms and become 35 KB, by level 6 in 4 ms 30 KB. */
const LEVEL = 2;
/** For answers of up to so many bytes, such as those of a page's first load: a fraction of a millisecond. */
const SMALL_LEVEL = 9;
const SMALL_BYTES = 32_768;

/**
 * The answer of a route that says `compresses`, compressed for a client that takes gzip. Programs on this
 * very machine get it as it is: they would pay for both sides and save nothing. The entity tag stays the
 * same, since it is of the document and nothing may cache the answer.
 */
export async function compressed(c: Context, response: Response): Promise<Response> {
  const { headers, status } = response;
  if (c.req.method !== "GET" || status !== 200 || !takesGzip(c) || isLocal(c)) return response;
  if (headers.get("content-type") !== "application/json" || headers.has("content-encoding")) {
    return response;
  }
  const body = new Uint8Array(await response.arrayBuffer());
  const plain = new Response(body, response);
  plain.headers.append("vary", "accept-encoding");
  if (body.length < LEAST_BYTES) return plain;
  const answer = new Response(
    new Uint8Array(gzipSync(body, { level: body.length > SMALL_BYTES ? LEVEL : SMALL_LEVEL })),
    plain,
  );
  answer.headers.set("content-encoding", "gzip");
  answer.headers.delete("content-length");
  return answer;
}

/** True where the client names gzip and does not refuse it (RFC 9110 12.5.3). */
function takesGzip(c: Context): boolean {
  return (c.req.header("accept-encoding") ?? "").split(",").some((part) =>
    /^gzip\s*(;\s*q=(?!0(\.0*)?\s*$)|$)/i.test(part.trim())
  );
}

/** The apps of unix sockets have no peer: their callers are on this machine. */
function isLocal(c: Context): boolean {
  const peer = (c.env as Partial<PeerEnv> | undefined)?.peer;
  if (peer === undefined) return true;
  const { source } = peer;
  return source === "" || source === "::1" || source.startsWith("127.");
}
