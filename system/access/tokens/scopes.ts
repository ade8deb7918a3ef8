import { hasControl } from "../../core/net/grammar.ts";
import { pointer, Problem, type ProblemItem } from "../../core/errors/problem.ts";

const METHODS = {
  r: ["GET", "HEAD"],
  rw: ["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE"],
} as const;

/** One entry of a token's paths: a path prefix and the permission. */
export interface Scope {
  /** Without a trailing slash; empty for everything. */
  readonly path: string;
  readonly mode: "any" | "r" | "rw";
}

/** Parses an entry; null when it does not start with `/` or its suffix is unknown. */
export function parseScope(entry: string): Scope | null {
  if (!entry.startsWith("/")) return null;
  const colon = entry.indexOf(":");
  const path = (colon < 0 ? entry : entry.slice(0, colon)).replace(/\/$/, "");
  const mode = colon < 0 ? "any" : entry.slice(colon + 1);
  return mode === "any" && colon < 0 || mode === "r" || mode === "rw" ? { path, mode } : null;
}

/**
 * True when one of the entries allows the method on the path, which is the one that the router
 * matched. No entries allow everything; an entry that cannot be read allows nothing.
 */
export function allows(scopes: readonly string[], method: string, path: string): boolean {
  if (scopes.length === 0) return true;
  return scopes.some((entry) => {
    const scope = parseScope(entry);
    return scope !== null && covers(scope.path, path) &&
      (scope.mode === "any" || METHODS[scope.mode].some((allowed) => allowed === method));
  });
}

function covers(prefix: string, path: string): boolean {
  return path === prefix || path.startsWith(prefix + "/");
}

/** Rejects malformed entries, which would allow less or more than meant. Throws Problem 400. */
export function checkScopes(scopes: readonly string[]): void {
  const errors: ProblemItem[] = scopes.flatMap((entry, i) => {
    const message = scopeError(entry);
    return message === null ? [] : [{ pointer: pointer(["ScopedPaths", i]), message }];
  });
  if (errors.length > 0) throw new Problem(400, errors[0]!.message, { errors });
}

function scopeError(entry: string): string | null {
  if (entry === "") return "An empty path is no scope; leave the list empty to allow everything";
  if (entry.length > 256) return "Use at most 256 characters";
  if (!entry.startsWith("/")) return `Begin a path with "/", got "${entry}"`;
  if (hasControl(entry) || /[\s?#%\\]/.test(entry)) {
    return `Write a path without blanks, "?", "#", "%" or "\\", got "${entry}"`;
  }
  const scope = parseScope(entry);
  if (scope === null) return `After the colon write r or rw, or leave the colon out: "${entry}"`;
  const segments = scope.path.split("/").slice(1);
  if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
    return `Write a path without empty and dot segments, got "${entry}"`;
  }
  return null;
}
