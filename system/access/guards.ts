import type { Users } from "./schema.ts";
import { Problem } from "../core/errors/problem.ts";

/** Refuses a change that would remove the last admin; null when it is allowed. */
export function lastAdmin(
  before: { readonly users: Users },
  after: { readonly users: Users },
): Problem | null {
  if (Object.keys(before.users).length === 0 || Object.keys(after.users).length > 0) return null;
  return new Problem(
    409,
    "This would delete the last admin account; create another one first",
    {
      members: { rule: "At least one admin remains" },
    },
  );
}
