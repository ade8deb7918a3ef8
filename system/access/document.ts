import { type Document, type Reading, type RejectedEntry } from "../core/config/document.ts";
import { pointer, Problem } from "../core/errors/problem.ts";
import { isPlain, parseRecord } from "./password/password.ts";
import { LimitedRole } from "./roles.ts";
import { LimitedUsers, UserName, Users } from "./schema.ts";

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

/**
 * Users who are no admins. A file of its own, so that whatever is lost of it takes a user's sign-in
 * away and never makes an admin of anyone.
 */
export const limitedUsersDocument: Document<LimitedUsers> = {
  path: "auth/limited_users.json",
  topic: "users",
  schema: LimitedUsers,
  fallback: {},
  read: readLimitedUsers,
  secret: (path) => path.at(-1) !== "Role",
};

function readLimitedUsers(raw: unknown): Reading<LimitedUsers> {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    throw new Problem(400, "The users are an object: user name to role and password record");
  }
  const rejected: RejectedEntry[] = [];
  const value: LimitedUsers = {};
  for (const [name, entry] of Object.entries(raw)) {
    const { Role, Password } = typeof entry === "object" && entry !== null ? entry : {};
    const role = LimitedRole.safeParse(Role);
    const message = role.success ? entryError(name, Password) : role.error.issues[0]!.message;
    if (role.success && message === null) value[name] = { Role: role.data, Password };
    else rejected.push({ pointer: pointer([name]), message: message!, raw: entry });
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
