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
  if (principal?.kind === "user") {
    const { role } = principal;
    return (topic) =>
      isIncluded(role, { access: "auth", method: "GET", path: topicOf(topic)?.path ?? EVERYTHING });
  }
  if (principal?.kind !== "token") return () => false;
  const { tokens } = principal;
  const decided = new Map<string, boolean>();
  const reads = (path: string): boolean => {
    const known = decided.get(path);
    if (known !== undefined) return known;
    const may = tokens.some(({ scopes, role }) =>
      allows(scopes, "GET", path) && isIncluded(role, { access: "auth", method: "GET", path })
    );
    decided.set(path, may);
    return may;
  };
  return (topic) => reads(topicOf(topic)?.path ?? EVERYTHING);
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
