import * as z from "zod";
import { Problem } from "../../system/core/errors/problem.ts";
import { type Route, route } from "../http/route.ts";

/** Upper limit of bytes of a test, exclusive. */
const LIMIT = 26_214_400;
/** Timeout of an upload. */
const TIMEOUT_MS = 60_000;
const CHUNK = new TextEncoder().encode("0123456789".repeat(6_554)).subarray(0, 65_540);

/** `start-end`: positions in an endless sequence of digits. */
const Range = z.string().regex(/^\d{1,12}-\d{1,12}$/, { error: "Write two numbers such as 0-1000" })
  .transform((text) => text.split("-").map(Number) as [number, number])
  .refine(([start, end]) => end > start && end - start < LIMIT, {
    error: `End after the start, with fewer than ${LIMIT} bytes between`,
  });

/** Speed test between a browser and the router. */
export function speedtestRoutes(): Route[] {
  const common = {
    path: "/speedtest/{range}",
    tag: "Diagnostics",
    access: "auth",
    params: z.object({ range: Range }),
    mediaType: "text/plain",
  } as const;
  return [
    route({
      method: "GET",
      ...common,
      summary: "Download test data",
      description:
        "Sends as many bytes as the range has, to measure the speed between client and router; at " +
        "most 25 MiB.",
      examples: { response: "0123456789" },
      response: z.string(),
    }, ({ c, params: { range: [start, end] } }) => {
      const headers = {
        "content-type": "text/plain; charset=utf-8",
        "content-length": String(end - start),
      };
      return new Response(c.req.method === "HEAD" ? null : digits(start, end), { headers });
    }),
    route({
      method: "PUT",
      ...common,
      summary: "Upload test data",
      description:
        "Reads a body of any type up to 25 MiB, discards it and answers `ok`, to measure the upload " +
        "speed to the router.",
      response: z.literal("ok"),
      errors: [408, 413],
    }, async ({ c }) => {
      await swallow(c.req.raw);
      return new Response("ok\n", { headers: { "content-type": "text/plain; charset=utf-8" } });
    }),
  ];
}

/** The digits between two positions, generated as they are read. */
function digits(start: number, end: number): ReadableStream<Uint8Array> {
  let at = start;
  return new ReadableStream<Uint8Array>({
    pull(controller): void {
      const from = at % 10;
      const length = Math.min(end - at, CHUNK.length - from);
      controller.enqueue(CHUNK.subarray(from, from + length));
      at += length;
      if (at >= end) controller.close();
    },
  }, { highWaterMark: 1 });
}

/** Reads a body to its end and discards it. Throws Problem 408, 413. */
async function swallow(request: Request): Promise<void> {
  const announced = Number(request.headers.get("content-length") ?? "0");
  if (announced > LIMIT) throw new Problem(413, `Send at most ${LIMIT} bytes`);
  if (request.body === null) return;
  const reader = request.body.getReader();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void reader.cancel().catch(() => {});
  }, TIMEOUT_MS);
  try {
    for (let size = 0;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > LIMIT) {
        await reader.cancel().catch(() => {});
        throw new Problem(413, `Send at most ${LIMIT} bytes`);
      }
    }
  } finally {
    clearTimeout(timer);
  }
  if (late) throw new Problem(408, "The body did not arrive in time");
}
