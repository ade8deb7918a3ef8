import { join } from "node:path";
import type { Config } from "../config.ts";
import type { Caller, ChangeEngine } from "../core/engine/change.ts";
import { writeDurably } from "../core/config/files.ts";
import type { Log } from "../core/log/log.ts";
import { type RandomBytes, sha256 } from "./digest.ts";
import { hashPassword, verifyPassword } from "./password/password.ts";
import {
  findUser,
  firstAdmin,
  hasAdmin,
  type KnownUsers,
  plainUsers,
  storedPassword,
  upgradePasswords,
  withUser,
} from "./rules.ts";
import { type AccessDatabase, writeSetting } from "./store.ts";
import { openSetup } from "./setup.ts";

/** Name of the admin that the first start creates. */
export const FIRST_ADMIN = "admin";

const START: Caller = { by: "start", from: null, connection: null };
/** 32 characters that are hard to confuse (Crockford base32). */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Whether a start has to create the first admin, and with which password. */
export type FirstStart = "nothing" | "given" | "made";

/** A start is the first when there is no user; a given password replaces the setup code. */
export function decideFirstStart(users: KnownUsers, password: string | null): FirstStart {
  if (hasAdmin(users)) return "nothing";
  return password === null || password === "" ? "made" : "given";
}

/** Five groups of five characters: 125 random bits that can be typed. */
export function setupCode(random: RandomBytes): string {
  const letters = [...random(25)].map((byte) => ALPHABET[byte & 31]!).join("");
  return letters.match(/.{5}/g)!.join("-");
}

/** Dependencies of {@link firstStart}. */
export interface FirstStartOptions {
  readonly engine: ChangeEngine<Config>;
  readonly db: AccessDatabase;
  readonly random: RandomBytes;
  readonly log: Log;
  /** Password of the first admin; null: a setup code is generated. */
  readonly adminPassword: string | null;
  /** Shows the setup code; returns the file it was saved to, null when it was shown. */
  readonly announce: (secret: string) => Promise<string | null>;
}

/** Creates the first admin where there is none, before anything listens. */
export async function firstStart(options: FirstStartOptions): Promise<void> {
  const { engine, db, random, log, adminPassword } = options;
  const kind = decideFirstStart(engine.config, adminPassword);
  if (kind === "nothing") return;
  const password = kind === "given" ? adminPassword! : setupCode(random);
  const record = await hashPassword(password, random);
  if (kind === "given") await writeSetting(db, "setup", "done");
  else {
    await openSetup(db, sha256(password), record);
    // Announced before it is stored: a crash must not leave an admin with an unknown password.
    const path = await options.announce(password);
    if (path !== null) {
      log.info("access.setup_code_saved", "Setup code saved to a file", { path });
    }
  }
  await engine.change(firstAdmin(FIRST_ADMIN, record), { caller: START });
}

/** Replaces plain-text passwords by their hashes. */
export async function hashPlainPasswords(
  engine: ChangeEngine<Config>,
  random: RandomBytes,
): Promise<void> {
  const upgrades = [];
  for (const name of plainUsers(engine.config)) {
    const plain = storedPassword(engine.config, name)!;
    const record = await hashPassword(plain, random);
    if (await verifyPassword(plain, record)) upgrades.push({ name, plain, record });
  }
  if (upgrades.length > 0) await engine.change(upgradePasswords(upgrades), { caller: START });
}

/** Users of another router, with hashes instead of plain-text passwords. */
export async function withHashedPasswords<C extends KnownUsers>(
  config: C,
  random: RandomBytes,
): Promise<C> {
  let secured = config;
  for (const name of plainUsers(config)) {
    const user = findUser(config, name)!;
    secured = withUser(secured, name, {
      ...user,
      password: await hashPassword(user.password, random),
    });
  }
  return secured;
}

/** Shows the setup code on the terminal, or writes it to `state/first-start.txt` (0600). */
export function announcer(
  home: string,
  show: (text: string) => Promise<void> = showOnTerminal,
): (secret: string) => Promise<string | null> {
  return async (secret) => {
    const text = `Sluice: sign in as "${FIRST_ADMIN}" with the password ${secret}\n`;
    try {
      await show(text);
      return null;
    } catch {
      // No terminal, or no right to use it.
    }
    const path = setupCodeFile(home);
    const where = `This file is ${path}. It is deleted when the code is first used.\n`;
    await writeDurably(path, where + text, "access");
    return path;
  };
}

/**
 * Standard error where it is a terminal. A collected log is none, so the setup code never gets into one.
 * Under the launcher it is a pipe: the launcher shows the saved file where it has a terminal itself.
 */
async function showOnTerminal(text: string): Promise<void> {
  if (!Deno.stderr.isTerminal()) throw new Error("Standard error is no terminal");
  await Deno.stderr.write(new TextEncoder().encode(text));
}

/** File with the setup code, until its first use. */
export function setupCodeFile(home: string): string {
  return join(home, "state/first-start.txt");
}
