import type { Config } from "../config.ts";
import type { Command } from "../core/engine/change.ts";
import { conflict, invalid, notFound, type Problem, sentence } from "../core/errors/problem.ts";
import { isPlain } from "./password/password.ts";
import type { Role } from "./roles.ts";

/** The parts of the configuration that name users. */
export type KnownUsers = Pick<Config, "users" | "limitedUsers">;

/** A user: password record, or plain text from a hand-written file, and role. */
export interface User {
  readonly password: string;
  readonly role: Role;
}

/**
 * The user of a name; undefined for an unknown one, `constructor` and the like included. A name that a
 * hand-written file gives to an admin as well has the smaller role.
 */
export function findUser({ users, limitedUsers }: KnownUsers, name: string): User | undefined {
  if (Object.hasOwn(limitedUsers, name)) {
    const { Role: role, Password: password } = limitedUsers[name]!;
    return { role, password };
  }
  return Object.hasOwn(users, name) ? { role: "admin", password: users[name]! } : undefined;
}

/** The stored password of a user; undefined for an unknown name. */
export function storedPassword(known: KnownUsers, name: string): string | undefined {
  return findUser(known, name)?.password;
}

/** The names of all users, admins first. */
export function userNames({ users, limitedUsers }: KnownUsers): readonly string[] {
  return [...new Set([...Object.keys(users), ...Object.keys(limitedUsers)])]
    .toSorted((a, b) => Number(a in limitedUsers) - Number(b in limitedUsers));
}

/** True while at least one admin can sign in with a password. */
export function hasAdmin({ users, limitedUsers }: KnownUsers): boolean {
  return Object.keys(users).some((name) => !Object.hasOwn(limitedUsers, name));
}

/** Users whose password is stored as plain text. */
export function plainUsers(known: KnownUsers): readonly string[] {
  return userNames(known).filter((name) => isPlain(storedPassword(known, name)!));
}

/** The configuration with a user of this password and role, new or as it is from now on. */
export function withUser<C extends KnownUsers>(config: C, name: string, user: User): C {
  const { [name]: _admin, ...users } = config.users;
  const { [name]: _limited, ...limitedUsers } = config.limitedUsers;
  const { role, password } = user;
  return role === "admin" ? { ...config, users: { ...users, [name]: password }, limitedUsers } : {
    ...config,
    users,
    limitedUsers: { ...limitedUsers, [name]: { Role: role, Password: password } },
  };
}

/** Changes a user's password to the hash `record`; 409 when it was changed meanwhile. */
export function changePassword(
  change: { readonly name: string; readonly from: string; readonly record: string },
): Command<Config> {
  return {
    kind: "access.password",
    summary: `Changed the password of ${change.name}`,
    reduce: (config) => {
      const { name, from, record: password } = change;
      const user = findUser(config, name);
      if (user === undefined) throw notFound(sentence("There is no user {user}", { user: name }));
      if (user.password !== from) throw conflict("The password was changed meanwhile");
      return [withUser(config, name, { ...user, password }), undefined];
    },
  };
}

/** Replaces plain-text passwords by hashes computed from exactly these texts. */
export function upgradePasswords(
  upgrades: readonly { readonly name: string; readonly plain: string; readonly record: string }[],
): Command<Config> {
  return {
    kind: "access.upgrade",
    summary: "Automatic: hashed plain-text passwords",
    reduce: (config) => {
      let next = config;
      for (const { name, plain, record: password } of upgrades) {
        const user = findUser(next, name);
        if (user?.password === plain) next = withUser(next, name, { ...user, password });
      }
      return [next, undefined];
    },
  };
}

/** Creates the first admin; does nothing once there is any user. */
export function firstAdmin(name: string, record: string): Command<Config, boolean> {
  return {
    kind: "access.first",
    summary: `Created the user ${name}`,
    reduce: (config) =>
      hasAdmin(config)
        ? [config, false]
        : [withUser(config, name, { role: "admin", password: record }), true],
  };
}

/**
 * Adds a user, or gives an existing one another role, and with `record` another password. 400 for a new
 * user without a password.
 */
export function putUser(
  name: string,
  { role, record }: { readonly role: Role; readonly record?: string | undefined },
): Command<Config> {
  return {
    kind: "access.user",
    summary: `Saved the user ${name} (${role})`,
    reduce: (config) => {
      const password = record ?? storedPassword(config, name);
      if (password === undefined) throw invalid("/Password", "Enter a password for the new user");
      return [withUser(config, name, { role, password }), undefined];
    },
  };
}

/** Deletes a user; throws Problem 404. */
export function deleteUser(name: string): Command<Config> {
  return {
    kind: "access.user_deleted",
    summary: `Deleted the user ${name}`,
    reduce: (config) => {
      if (findUser(config, name) === undefined) {
        throw notFound(sentence("There is no user {user}", { user: name }));
      }
      const { [name]: _admin, ...users } = config.users;
      const { [name]: _limited, ...limitedUsers } = config.limitedUsers;
      return [{ ...config, users, limitedUsers }, undefined];
    },
  };
}

/** Refuses a change that would remove the last admin; null when it is allowed. */
export function lastAdmin(
  before: KnownUsers,
  after: KnownUsers,
): Problem | null {
  if (!hasAdmin(before) || hasAdmin(after)) return null;
  return conflict("This would leave no admin; make another user one first", {
    rule: "At least one admin remains",
  });
}
