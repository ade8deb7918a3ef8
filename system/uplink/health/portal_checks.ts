import type { PortalCheck, PortalReport } from "../plan_schema.ts";
import { portalVerdict } from "./portal_rules.ts";

/** Milliseconds between two checks of an uplink that is open, and of any other. */
const OPEN_INTERVAL_MS = 60_000;
const CLOSED_INTERVAL_MS = 15_000;

/** What {@link PortalChecks} needs. */
export interface PortalChecksDeps {
  /** The raw answer of a page through one interface, cut where it is long; "" none. */
  readonly request: (link: string, url: string) => Promise<string>;
  readonly report: (report: PortalReport) => Promise<void>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Asks for a page on each uplink of a plan, at once after a new address and then again and again. */
export class PortalChecks {
  readonly #deps: PortalChecksDeps;
  readonly #due = new Map<string, { readonly what: string; readonly at: number }>();

  constructor(deps: PortalChecksDeps) {
    this.#deps = deps;
  }

  /** Checks what is due. */
  async check(plan: readonly PortalCheck[]): Promise<void> {
    const names = new Set(plan.map(({ name }) => name));
    for (const name of this.#due.keys()) {
      if (!names.has(name)) this.#due.delete(name);
    }
    await Promise.all(plan.map(async (one) => {
      const what = JSON.stringify(one);
      const due = this.#due.get(one.name);
      if (due?.what === what && this.#deps.now() < due.at) return;
      const raw = await this.#deps.request(one.link, one.url).catch(() => "");
      const verdict = portalVerdict(raw, one.url);
      const wait = verdict.state === "open" ? OPEN_INTERVAL_MS : CLOSED_INTERVAL_MS;
      this.#due.set(one.name, { what, at: this.#deps.now() + wait });
      // An outdated result is of no use: it is not queued.
      await this.#deps.report({ name: one.name, ...verdict }).catch(() => {});
    }));
  }
}
