import type { Context } from "hono";
import type { Route } from "./route.ts";

/** A path that a request meant, as it is registered. */
export interface RegisteredPath {
  /** With one slash at its front and none doubled, percent-encoded as it was sent. */
  readonly path: string;
  /** True where it is served without credentials. */
  readonly isPublic: boolean;
}

/**
 * Finds the route, or the path of the UI, that a path would be without its doubled slashes, dot
 * segments and trailing slash; null where there is none, and for a path that is in its registered
 * form already.
 */
export function registeredPaths(
  routes: readonly Route[],
  isUi: (path: string) => boolean = () => false,
): (url: string) => RegisteredPath | null {
  const known = routes.map(({ description }) => ({
    segments: segmentsOf(description.path),
    slash: description.path.length > 1 && description.path.endsWith("/"),
    isPublic: description.access === "public",
  }));
  return (url) => {
    const segments = segmentsOf(new URL(url).pathname);
    const clean = `/${segments.join("/")}`;
    const found = known.filter((route) => matches(route.segments, segments));
    if (found.length === 0 && !isUi(clean)) return null;
    const path = found.length > 0 && found.every(({ slash }) => slash) ? `${clean}/` : clean;
    if (path === sentPath(url)) return null;
    return { path, isPublic: isUi(clean) || found.some((one) => one.isPublic) };
  };
}

/**
 * Leads a request to the registered form of its path. 301 as existing clients know it; 308 where a
 * client would turn a 301 into a GET and leave out what it wrote. The target begins with exactly one
 * slash, so that it is a path of this router and never the name of another host.
 */
export function redirectTo(c: Context, path: string): Response {
  const location = `/${path.replace(/^[/\\]+/, "")}${new URL(c.req.url).search}`;
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  return new Response(null, {
    status: isRead ? 301 : 308,
    headers: { location, "content-length": "0" },
  });
}

function segmentsOf(path: string): readonly string[] {
  return path.split("/").filter((segment) => segment !== "");
}

function matches(route: readonly string[], sent: readonly string[]): boolean {
  return route.length === sent.length &&
    route.every((segment, index) => /^\{\w+\}$/.test(segment) || segment === decoded(sent[index]!));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The path as it came, neither resolved nor decoded. */
function sentPath(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/?#\\]*/i, "").replace(/[?#].*$/s, "");
}
