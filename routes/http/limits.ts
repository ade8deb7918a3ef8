import type { MiddlewareHandler } from "hono";
import { sourceKey } from "../../system/core/net/net.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { peerFrom } from "./peer.ts";

/** Requests of one source that may be worked on at once. */
const AT_ONCE = 256;

/**
 * Limits how many requests of one source are worked on at once. Connections are
 * limited where they are accepted (`front/`).
 */
export function requestLimit(atOnce: number = AT_ONCE): MiddlewareHandler {
  const running = new Map<string, number>();
  return async (c, next) => {
    const key = sourceKey(peerFrom(c).source);
    const count = (running.get(key) ?? 0) + 1;
    if (count > atOnce) {
      throw new Problem(429, `More than ${atOnce} requests of this address are under way`, {
        headers: { "retry-after": "1" },
      });
    }
    running.set(key, count);
    try {
      await next();
    } finally {
      const left = running.get(key)! - 1;
      if (left > 0) running.set(key, left);
      else running.delete(key);
    }
  };
}
