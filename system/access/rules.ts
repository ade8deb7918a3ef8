import type { Config } from "../config.ts";
import type { Command } from "../core/engine/change.ts";
import { conflict, notFound, type Problem } from "../core/errors/problem.ts";
import { isPlain } from "./password/password.ts";
import type { Users } from "./schema.ts";

/** The stored password of a user; undefined for an unknown name, `constructor` and the like included. */
export function storedPassword(users: Users, name: string): string | undefined {
  return Object.hasOwn(users, name) ? users[name] : undefined;
}

/** True while at least one admin can sign in with a password. */
export function hasAdmin(users: Users): boolean {
  return Object.keys(users).length > 0;
}

/** Users whose password is stored as plain text. */
export function plainUsers(users: Users): readonly string[] {
  return Object.keys(users).filter((name) => isPlain(users[name]!));
}

/** Changes a user's password to the hash `record`; 409 when it was changed meanwhile. */
export function changePassword(
  change: { readonly name: string; readonly from: string; readonly record: string },
): Command<Config> {
  return {
    kind: "access.password",
    summary: `Changed the password of ${change.name}`,
    reduce: (config) => {
      const stored = storedPassword(config.users, change.name);
      if (stored === undefined) throw notFound(`There is no user ${change.name}`);
      if (stored !== change.from) throw conflict("The password was changed meanwhile");
      return [{ ...config, users: { ...config.users, [change.name]: change.record } }, undefined];
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
      const due = upgrades.filter(({ name, plain }) =>
        storedPassword(config.users, name) === plain
      );
      if (due.length === 0) return [config, undefined];
      const records = Object.fromEntries(due.map(({ name, record }) => [name, record]));
      return [{ ...config, users: { ...config.users, ...records } }, undefined];
    },
  };
}

/** Creates the first admin; does nothing once there is any user. */
export function firstAdmin(name: string, record: string): Command<Config, boolean> {
  return {
    kind: "access.first",
    summary: `Created the user ${name}`,
    reduce: (config) =>
      hasAdmin(config.users) ? [config, false] : [{ ...config, users: { [name]: record } }, true],
  };
}

/** Refuses a change that would remove the last admin; null when it is allowed. */
export function lastAdmin(
  before: { readonly users: Users },
  after: { readonly users: Users },
): Problem | null {
  if (!hasAdmin(before.users) || hasAdmin(after.users)) return null;
  return conflict("This would delete the last admin account; create another one first", {
    rule: "At least one admin remains",
  });
}
