import { Problem } from "../../system/core/errors/problem.ts";

const PREFIX = /^\/+plugins(\/|$)/;

/**
 * Throws Problem 400 for a path under `/plugins/` that a proxy and a plugin could read differently:
 * encoded or odd separators, or a segment that decodes, once or twice, to a dot segment.
 */
export function checkPluginPath(url: string): void {
  const path = rawPath(url);
  // The prefix itself may be written with escapes, which the router decodes.
  if (!PREFIX.test(path) && !PREFIX.test(decodeOnce(path))) return;
  const odd = /%2f|%5c|[\\;]/i.test(path) || path.split("/").some(isDots);
  if (odd) {
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
function rawPath(url: string): string {
  const rest = url.replace(/^[a-z]+:\/\/[^/?#]*/i, "");
  return rest.replace(/[?#].*$/s, "");
}
