import { memo } from "../../core/config/memo.ts";
import type { Identity } from "../../access/identity.ts";
import { isIncluded } from "../../access/roles.ts";
import { allows } from "../../access/tokens/scopes.ts";
import { topicOf, TOPICS } from "./topics.ts";

/** Topics of other programs have no path of their own: who reads them may read everything. */
const EVERYTHING = "/";

/**
 * Decides which topics a caller may read: those whose path its scopes allow to read by GET. An admin
 * reads all of them, as does a token without scopes; other users those that their role includes.
 */
export function topicAccess(
  { principal }: Pick<Identity, "principal">,
): (topic: string) => boolean {
  const decided = new Map<string, boolean>();
  // Events of one topic often come together.
  return memo((topic) => {
    const path = topicOf(topic)?.path ?? EVERYTHING;
    let may = decided.get(path);
    if (may === undefined) decided.set(path, may = reads(principal, path));
    return may;
  });
}

function reads(principal: Identity["principal"], path: string): boolean {
  const request = { access: "auth", method: "GET", path } as const;
  if (principal?.kind === "user") return isIncluded(principal.role, request);
  if (principal?.kind !== "token") return false;
  return principal.tokens.some(({ scopes, role }) =>
    allows(scopes, "GET", path) && isIncluded(role, request)
  );
}

/** Whether a caller may read every topic that can begin so. */
export function readsBeginning(reads: (topic: string) => boolean, beginning: string): boolean {
  const fitting = TOPICS.filter(({ name }) =>
    name.startsWith(beginning) || name.endsWith(":") && beginning.startsWith(name)
  );
  return fitting.length === 0 ? reads(beginning) : fitting.every(({ name }) => reads(name));
}

/** True where a caller may read no topic at all, so that a stream would stay silent for ever. */
export function readsNothing(reads: (topic: string) => boolean): boolean {
  return !TOPICS.some(({ name }) => reads(name));
}
