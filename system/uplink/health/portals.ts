import type { Bus } from "../../core/events/bus.ts";
import type { NoticeBoard } from "../../core/events/notice.ts";
import type { PortalReport } from "../plan_schema.ts";

/** Kind of the notice about an uplink whose network wants somebody to sign in. */
const PORTAL = "uplink-portal";

/** Dependencies of {@link Portals}. */
export interface PortalsDeps {
  readonly bus: Pick<Bus, "publish">;
  readonly notices: NoticeBoard;
  readonly isChecked: (name: string) => boolean;
}

/** Captive portals of uplinks, as uplinkd reports them. */
export class Portals {
  readonly #deps: PortalsDeps;
  readonly #last = new Map<string, PortalReport>();

  constructor(deps: PortalsDeps) {
    this.#deps = deps;
  }

  /** The address of the portal that an uplink is behind; "" none. */
  urlOf(name: string): string {
    const last = this.#last.get(name);
    return last?.state === "portal" && this.#deps.isChecked(name) ? last.url : "";
  }

  /** Takes a report. What does not tell leaves what was known. */
  async take(report: PortalReport): Promise<void> {
    const { name, state, url } = report;
    const { bus, notices, isChecked } = this.#deps;
    if (!isChecked(name)) return await this.#settle(name);
    if (state === "unknown") return;
    const before = this.#last.get(name);
    if (before?.state === state && before.url === url) return;
    this.#last.set(name, report);
    if (state === "open") {
      await notices.settle(PORTAL, name);
    } else {
      await notices.open(
        PORTAL,
        `The network of ${name} asks for a sign-in before it lets anything through. On a device of ` +
          `the LAN, open ${url}`,
        { subject: name, link: name, url },
      );
    }
    if (before?.state !== state) {
      bus.publish("uplink:portal", { Iface: name, Portal: state, URL: url });
    }
  }

  /** Resolves the notices of uplinks that are no longer checked. */
  async settle(): Promise<void> {
    for (const name of [...this.#last.keys()]) {
      if (!this.#deps.isChecked(name)) await this.#settle(name);
    }
  }

  async #settle(name: string): Promise<void> {
    this.#last.delete(name);
    await this.#deps.notices.settle(PORTAL, name);
  }
}
