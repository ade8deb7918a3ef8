import type { Log } from "../../core/log/log.ts";
import type { ForeignServer, Snapshot } from "../api_schema.ts";

/** Dependencies of {@link ServedInterfaces}. */
export interface ServedInterfacesDeps {
  /** Starts serving an interface. Throws when it cannot be used. */
  open(link: string): void;
  close(link: string): void;
  /** True when there is an interface of this name; of one that is served: still the same one. */
  isPresent(link: string): boolean;
  /** Another server on the interface, or null. Throws when the interface cannot be used. */
  probe(link: string): Promise<string | null>;
  /** Reports what a probe found; false when it is no other server than this router itself. */
  reportForeign(found: ForeignServer): Promise<boolean>;
  /** Milliseconds. */
  readonly clock: () => number;
  readonly ending: AbortSignal;
  readonly log: Pick<Log, "info" | "warn" | "debug">;
}

/** Milliseconds after which an interface is probed again: one with another server, and a served one. */
const PROBE_INTERVALS_MS = { foreign: 60_000, served: 600_000 };

/**
 * The interfaces that are served: those that are configured and present, unless another server answers
 * there. An interface that comes back under the same name is probed again, and every interface is probed
 * from time to time, since servers come and go. One that is served stays so.
 */
export class ServedInterfaces {
  readonly #deps: ServedInterfacesDeps;
  readonly #served = new Set<string>();
  /** Interfaces with another DHCP server that are not served. */
  readonly #foreign = new Set<string>();
  /** When each of both was last probed. */
  readonly #probed = new Map<string, number>();
  readonly #probing = new Set<string>();
  readonly #jobs = new Set<Promise<void>>();
  #target: ReadonlySet<string> = new Set();

  constructor(deps: ServedInterfacesDeps) {
    this.#deps = deps;
  }

  has(link: string): boolean {
    return this.#served.has(link);
  }

  /** Starts and stops serving to match what is configured and present. */
  reconcile(target: Pick<Snapshot, "links" | "serveAnyway">): void {
    const links = new Set(target.links), confirmed = new Set(target.serveAnyway);
    this.#target = links;
    for (const link of this.#served) {
      const named = links.has(link);
      if (named && this.#deps.isPresent(link)) continue;
      this.#deps.close(link);
      this.#served.delete(link);
      const message = named ? `${link} disappeared` : `Stopped DHCP on ${link}`;
      this.#deps.log.info("dhcp.interface_closed", message, { link });
    }
    for (const link of this.#foreign) {
      const stays = links.has(link) && !confirmed.has(link) && this.#deps.isPresent(link);
      if (!stays) this.#foreign.delete(link);
    }
    for (const link of links) {
      if (this.#probing.has(link) || !this.#deps.isPresent(link)) continue;
      if (confirmed.has(link)) {
        if (!this.#served.has(link)) this.#serve(link);
      } else if (this.#isDue(link)) this.#track(link, this.#probeAndServe(link));
    }
  }

  /** True for an interface that was not probed, or not for long. */
  #isDue(link: string): boolean {
    const kind = this.#served.has(link) ? "served" : this.#foreign.has(link) ? "foreign" : null;
    if (kind === null) return true;
    const at = this.#probed.get(link) ?? -Infinity;
    return this.#deps.clock() - at >= PROBE_INTERVALS_MS[kind];
  }

  /** Waits for running probes, then stops serving. */
  async close(): Promise<void> {
    await Promise.all(this.#jobs);
    for (const link of this.#served) this.#deps.close(link);
    this.#served.clear();
  }

  #serve(link: string): void {
    try {
      this.#deps.open(link);
      this.#served.add(link);
      this.#deps.log.info("dhcp.interface_opened", `Started DHCP on ${link}`, { link });
    } catch (error) {
      // It disappeared meanwhile or is not up yet: the next reconcile tries again.
      this.#deps.log.debug("dhcp.interface_not_ready", "An interface cannot be served yet", {
        link,
        error,
      });
    }
  }

  /** Serves an interface unless another server answers there; one that is served stays so. */
  async #probeAndServe(link: string): Promise<void> {
    const before = this.#foreign.has(link), serving = this.#served.has(link);
    try {
      const server = await this.#deps.probe(link);
      if (this.#deps.ending.aborted || !this.#target.has(link)) return;
      const isForeign = await this.#deps.reportForeign({ link, server, serving }).catch((error) => {
        // Without another server the interface is served, the api away or not.
        if (server !== null) throw error;
        return false;
      });
      this.#probed.set(link, this.#deps.clock());
      if (serving) return;
      if (!isForeign) {
        this.#foreign.delete(link);
        return this.#serve(link);
      }
      this.#foreign.add(link);
      if (before) return;
      this.#deps.log.warn(
        "dhcp.foreign_server",
        `DHCP is off on ${link}: another DHCP server answers there`,
        { link, server },
      );
    } catch (error) {
      // The interface is not up yet or the api is away: a later reconcile tries again.
      this.#probed.set(link, this.#deps.clock());
      this.#deps.log.debug("dhcp.interface_not_ready", "An interface cannot be served yet", {
        link,
        error,
      });
    }
  }

  #track(link: string, job: Promise<void>): void {
    this.#probing.add(link);
    const done = job.finally(() => {
      this.#probing.delete(link);
      this.#jobs.delete(done);
    });
    this.#jobs.add(done);
  }
}
