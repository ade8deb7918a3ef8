import type { MiddlewareHandler } from "hono";
import { sourceKey } from "../../system/core/net/net.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { peerFrom } from "./peer.ts";

/** Requests of one source that may be worked on at once. */
const AT_ONCE = 256;

/**
 * Limits how many requests of one source are worked on at once. Connections are
 * limited where they are accepted (`front/`). `took` receives how many milliseconds each request took.
 */
export function requestLimit(
  { atOnce = AT_ONCE, took = (): void => {} }: {
    readonly atOnce?: number;
    readonly took?: (stage: "whole", milliseconds: number) => void;
  } = {},
): MiddlewareHandler {
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
    const began = performance.now();
    try {
      await next();
    } finally {
      took("whole", performance.now() - began);
      const left = running.get(key)! - 1;
      if (left > 0) running.set(key, left);
      else running.delete(key);
    }
  };
}
