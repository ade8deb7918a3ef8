import type { Bus } from "../core/events/bus.ts";
import type { Identity } from "./identity.ts";
import { sourceKey } from "../core/net/net.ts";

/** A sign-in that succeeded or failed. */
export interface SignInEvent {
  /** `user` by password, session or passkey; `token` by an API token. */
  readonly type: "user" | "token";
  /** Of the user or token; "" where it is not known. */
  readonly name: string;
  readonly source: string;
  /** Where or why, such as `api` or `bad password`. */
  readonly reason: string;
}

/** The event as it is published: under the names of existing clients, and under clean ones. */
export function signInEvent({ type, name, source, reason }: SignInEvent) {
  return {
    type,
    name,
    ...(type === "user" ? { username: name } : {}),
    reason,
    ip: source,
    addr: source,
  };
}

/** The end of sign-ins of a user, or of a token. */
export function signOutEvent(type: "user" | "token", name: string) {
  return { type, name, ...(type === "user" ? { username: name } : {}) };
}

/** Requests with the same credentials from one source are one event in this time. */
const SAMPLE_INTERVAL_MS = 10 * 60_000;
/** Credentials and sources that are remembered. */
const MAX_REMEMBERED = 1000;

/** Publishes `auth:success` for requests by password or token: the first of each source, then rarely. */
export class RequestEvents {
  readonly #bus: Pick<Bus, "publish">;
  /** Monotonic milliseconds. */
  readonly #steady: () => number;
  readonly #last = new Map<string, number>();

  constructor(bus: Pick<Bus, "publish">, steady: () => number) {
    this.#bus = bus;
    this.#steady = steady;
  }

  /** Takes a request in whose `Authorization` header was recognized. */
  add({ principal }: Identity, source: string): void {
    const who = principal?.kind === "token"
      ? { type: "token", name: principal.tokens[0]?.name ?? "" } as const
      : principal?.kind === "user"
      ? { type: "user", name: principal.name } as const
      : null;
    if (who === null) return;
    const key = `${who.type} ${who.name} ${sourceKey(source)}`;
    const at = this.#steady();
    const last = this.#last.get(key);
    if (last !== undefined && at - last < SAMPLE_INTERVAL_MS) return;
    this.#last.delete(key);
    this.#last.set(key, at);
    if (this.#last.size > MAX_REMEMBERED) this.#last.delete(this.#last.keys().next().value!);
    this.#bus.publish("auth:success", signInEvent({ ...who, source, reason: "api" }));
  }
}
