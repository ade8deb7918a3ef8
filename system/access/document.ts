import { type Document, type Reading, type RejectedEntry } from "../core/config/document.ts";
import { pointer, Problem } from "../core/errors/problem.ts";
import { isPlain, parseRecord } from "./password/password.ts";
import { UserName, Users } from "./schema.ts";

/**
 * The admins and their passwords. Plain text is accepted for hand-written files; the next start
 * replaces it by a hash.
 */
export const usersDocument: Document<Users> = {
  path: "auth/auth_users.json",
  topic: "users",
  schema: Users,
  fallback: {},
  read: readUsers,
  secret: () => true,
};

function readUsers(raw: unknown): Reading<Users> {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    throw new Problem(400, "The users are an object: user name to password record");
  }
  const rejected: RejectedEntry[] = [];
  const value: Record<string, string> = {};
  for (const [name, stored] of Object.entries(raw)) {
    const message = entryError(name, stored);
    if (message === null) value[name] = stored as string;
    else rejected.push({ pointer: pointer([name]), message, raw: stored });
  }
  return { value, rejected };
}

function entryError(name: string, stored: unknown): string | null {
  const parsed = UserName.safeParse(name);
  if (!parsed.success) return parsed.error.issues[0]!.message;
  if (typeof stored !== "string" || stored === "") return "Write a password or its record";
  if (!isPlain(stored) && parseRecord(stored) === null) {
    return "This password record is malformed; write the password itself to have it replaced";
  }
  return null;
}
