import { signal } from "@preact/signals";
import { call, setOtpToken, setReauthentication } from "../api/client.ts";
import { ApiProblem, textOf } from "../api/problem.ts";
import type { Role, StageAnswer } from "../wire.ts";

/**
 * `code`: signed in by password, the account asks for a code before anything else. `setup`: the router
 * is new and waits for its first decisions.
 */
export type Stage = "starting" | "out" | "setup" | "code" | "in" | "unreachable";

export const stage = signal<Stage>("starting");
/** Name of who is signed in; empty when nobody is. */
export const user = signal("");
/** What they may do; null when nobody is signed in. */
export const role = signal<Role | null>(null);
/** What the sign-in page says at first, such as that a new password is saved; empty for nothing. */
export const signInNote = signal("");
/** Set while a page waits for the person to sign in again or to give a code. */
export const reauthPrompt = signal<"signIn" | "otp" | null>(null);

let waiting: ((answer: boolean) => void)[] = [];
/** True from the person's wish to sign out: what is refused meanwhile asks nobody to sign in again. */
let isLeaving = false;

setReauthentication({ signIn: () => promptReauth("signIn"), otp: () => promptReauth("otp") });

/** Opens the dialog over the page, which stays as it is, and waits for the person. */
function promptReauth(what: "signIn" | "otp"): Promise<boolean> {
  if (stage.value !== "in" || isLeaving) return Promise.resolve(false);
  reauthPrompt.value = what;
  return new Promise((resolve) => waiting.push(resolve));
}

/** Ends the wait of every request that {@link promptReauth} holds. */
export function settleReauth(answer: boolean): void {
  const all = waiting;
  waiting = [];
  reauthPrompt.value = null;
  for (const resolve of all) resolve(answer);
}

/** Finds out whether this browser is still signed in. */
export async function start(): Promise<void> {
  try {
    const next = await fetchStage();
    user.value = next.user;
    role.value = next.role;
    stage.value = next.stage;
  } catch (error) {
    stage.value = error instanceof ApiProblem && error.status === 0 ? "unreachable" : "out";
  }
}

/** Asks where this browser stands, which is refused to nobody. Throws ApiProblem. */
export async function fetchStage(): Promise<StageAnswer> {
  return (await call<StageAnswer>({ path: "/auth/stage", quiet: true })).body;
}

/**
 * Looks whether the session still lives once the stream broke; asks over the page where it does not.
 * `away`: the router does not answer.
 */
export async function checkSession(): Promise<"alive" | "away" | "ended"> {
  for (;;) {
    let next: StageAnswer["stage"];
    try {
      next = (await fetchStage()).stage;
    } catch {
      return "away";
    }
    if (next === "in") return "alive";
    if (next === "code") setOtpToken(null);
    if (await promptReauth(next === "code" ? "otp" : "signIn")) continue;
    stage.value = "out";
    return "ended";
  }
}

/** Ends the browser session, here and on the router. */
export async function signOut(): Promise<void> {
  isLeaving = true;
  await call({ method: "PUT", path: "/auth/logout", quiet: true }).catch(textOf);
  isLeaving = false;
  setOtpToken(null);
  user.value = "";
  role.value = null;
  stage.value = "out";
}
