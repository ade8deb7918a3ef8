import type { Account, ProcessDescriptor } from "./descriptor.ts";

/**
 * The first of the numbers that users and groups have where the machine knows none of their names. No
 * entry of passwd(5) is made for them: another system's accounts are not the launcher's to write.
 * The range is unused by Debian (policy 9.2.2) and systemd (UIDS-GIDS.md: 60578 to 61183), and
 * small enough for containers.
 */
export const FIRST_ID = 60_900;

/** What a process runs as. */
export interface Ids {
  readonly uid: number;
  readonly gid: number;
  /** Supplementary groups. */
  readonly groups: readonly number[];
}

/** The numbers of all accounts. */
export interface Accounts {
  /** By the name of a user, `root` among them. */
  readonly users: ReadonlyMap<string, number>;
  readonly groups: ReadonlyMap<string, number>;
}

type WithAccount = Pick<ProcessDescriptor, "unit">;

function accountsOf(processes: readonly WithAccount[]): readonly Account[] {
  return processes.flatMap(({ unit }) => unit === null ? [] : [unit.account]);
}

/** Name and number of each line of passwd(5) or group(5). */
function entries(text: string): readonly { readonly name: string; readonly id: number }[] {
  return text.split("\n").flatMap((line) => {
    const [name, , id] = line.split(":");
    return name && id && /^\d+$/.test(id) ? [{ name, id: Number(id) }] : [];
  });
}

/**
 * The accounts of the processes: those of the machine where it has all of them, as on an installed
 * router, else our own numbers. A text that says what is in the way where somebody else has one of
 * these. `passwd` and `group`: the machine's files.
 */
export function findAccounts(
  processes: readonly WithAccount[],
  { passwd, group }: { readonly passwd: string; readonly group: string },
): Accounts | string {
  const accounts = accountsOf(processes);
  const own = accounts.filter(({ user }) => user !== "root");
  const users = new Map(entries(passwd).map(({ name, id }) => [name, id]));
  const groups = new Map(entries(group).map(({ name, id }) => [name, id]));
  const isInstalled = own.every(({ user }) => users.has(user)) &&
    accounts.every(({ group }) => groups.has(group));
  if (isInstalled) return { users: new Map([...users, ["root", 0]]), groups };
  const numbers = new Set(accounts.map(({ number }) => FIRST_ID + number));
  const other = [...entries(passwd), ...entries(group)].find(({ id }) => numbers.has(id));
  if (other !== undefined) return `${other.name} has the number ${other.id} on this machine`;
  return {
    users: new Map([["root", 0], ...own.map(numberOf("user"))]),
    groups: new Map(accounts.map(numberOf("group"))),
  };
}

function numberOf(name: "user" | "group"): (account: Account) => readonly [string, number] {
  return (account) => [account[name], FIRST_ID + account.number];
}

/** What a process with this account runs as; groups of other programs are left out. */
export function idsOf({ user, group, memberOf = [] }: Account, accounts: Accounts): Ids {
  return {
    uid: accounts.users.get(user)!,
    gid: accounts.groups.get(group)!,
    groups: memberOf.flatMap((name) => accounts.groups.get(name) ?? []),
  };
}
