import { isPublic } from "../core/net/public_address.ts";
import { type Send, updateHost } from "./providers.ts";
import type { DyndnsAccount, DyndnsHost, DyndnsPlan, DyndnsReport } from "./schema.ts";

/** Milliseconds before a failed update is tried again: doubled each time, up to the second. */
const RETRY_MS = { first: 60_000, longest: 3_600_000 } as const;
/** Milliseconds after which an address is sent again although it is the same: providers forget names. */
const RENEW_MS = 7 * 24 * 3_600_000;

/** What {@link DyndnsUpdater} acts through. */
export interface DyndnsUpdaterDeps {
  readonly send: Send;
  /** Monotonic milliseconds. */
  readonly steady: () => number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

interface HostState {
  address: string;
  /** Unix seconds of the last attempt. */
  time: number;
  ok: boolean;
  message: string;
  /** Monotonic milliseconds; Infinity: not by itself. */
  due: number;
  failures: number;
}

/** Keeps names at a provider at the router's address. */
export class DyndnsUpdater {
  readonly #deps: DyndnsUpdaterDeps;
  readonly #hosts = new Map<string, HostState>();
  #account = "";
  #refreshed = 0;

  constructor(deps: DyndnsUpdaterDeps) {
    this.#deps = deps;
  }

  /** One look: finds the address, updates what has another, and says how all names stand. */
  async check(plan: DyndnsPlan): Promise<DyndnsReport> {
    const { settings, refresh } = plan;
    if (settings === null) {
      this.#hosts.clear();
      return { items: [], address: plan.address, refresh };
    }
    const account = JSON.stringify(settings);
    if (account !== this.#account) this.#hosts.clear();
    this.#account = account;
    const forced = refresh !== this.#refreshed;
    this.#refreshed = refresh;
    const address = await this.#address(plan, settings);
    for (const target of settings.hosts) await this.#update(settings, target, { address, forced });
    const items = settings.hosts.map(({ host }) => {
      const state = this.#hosts.get(host)!;
      return {
        Host: host,
        Address: state.address,
        Time: state.time,
        OK: state.ok,
        Message: state.message,
      };
    });
    return { items, address, refresh };
  }

  /** The router's address: as pages see it, where some are named, else that of the first uplink. */
  async #address(plan: DyndnsPlan, { ip_urls: pages }: DyndnsAccount): Promise<string> {
    for (const url of pages) {
      const answer = await this.#deps.send({
        ...{ method: "GET", url, user: null, headers: {}, body: "" },
      }).catch(() => null);
      const found = answer?.status === 200
        ? /(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/.exec(answer.text)?.[0] ?? ""
        : "";
      // A login page in between names addresses of its own network.
      if (isPublic(found)) return found;
    }
    return pages.length === 0 ? plan.address : "";
  }

  async #update(
    account: DyndnsAccount,
    target: DyndnsHost,
    { address, forced }: { readonly address: string; readonly forced: boolean },
  ): Promise<void> {
    const { steady, now, send } = this.#deps;
    const state = this.#hosts.get(target.host) ??
      { address: "", time: 0, ok: false, message: "", due: 0, failures: 0 };
    this.#hosts.set(target.host, state);
    if (address === "") {
      state.ok = false;
      state.message = account.ip_urls.length === 0
        ? "No uplink has a public address. Behind another router, name a page that responds with it (ip_urls)"
        : "No page of ip_urls responded with an address";
      return;
    }
    const isNew = state.ok && state.address !== address;
    if (!forced && !isNew && steady() < state.due) return;
    const verdict = await updateHost(account, { ...target, address }, send);
    state.time = Math.floor(now() / 1000);
    state.ok = verdict.kind === "done";
    state.message = verdict.message.replace(/\p{Cc}+/gu, " ").slice(0, 400).toWellFormed();
    if (state.ok) state.address = address;
    state.failures = verdict.kind === "failed" ? state.failures + 1 : 0;
    state.due = verdict.kind === "refused"
      ? Infinity
      : steady() + (state.ok
        ? RENEW_MS
        : Math.min(RETRY_MS.first * 2 ** (state.failures - 1), RETRY_MS.longest));
  }
}
