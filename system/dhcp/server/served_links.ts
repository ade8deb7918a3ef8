import type { Log } from "../../core/log/log.ts";
import type { ForeignServer, Snapshot } from "../ask_schema.ts";

/** What serving links needs from outside. */
export interface LinkWork {
  /** Begins to serve a link. Throws when it cannot be used. */
  open(link: string): void;
  close(link: string): void;
  /** True when there is a link of this name; of one that is served: still the same one. */
  isThere(link: string): boolean;
  /** Another server on the link, or null. Throws when the link cannot be used. */
  probe(link: string): Promise<string | null>;
  /** Tells of another server: true when it is another than we. */
  foreign(found: ForeignServer): Promise<boolean>;
  readonly ending: AbortSignal;
  readonly log: Pick<Log, "info" | "warn" | "debug">;
}

/**
 * Which links are served: those that are named and there, unless another server answers on one.
 * Links come and go; one that comes back under its name is begun anew.
 */
export class ServedLinks {
  readonly #work: LinkWork;
  readonly #served = new Set<string>();
  /** Links with another server on them. */
  readonly #silent = new Set<string>();
  readonly #probing = new Set<string>();
  readonly #jobs = new Set<Promise<void>>();
  #wanted: ReadonlySet<string> = new Set();

  constructor(work: LinkWork) {
    this.#work = work;
  }

  has(link: string): boolean {
    return this.#served.has(link);
  }

  /** Brings what is served in line with what is wanted, and with what is there. */
  adapt(wanted: Pick<Snapshot, "links" | "confirmed">): void {
    const links = new Set(wanted.links), confirmed = new Set(wanted.confirmed);
    this.#wanted = links;
    for (const link of this.#served) {
      const named = links.has(link);
      if (named && this.#work.isThere(link)) continue;
      this.#work.close(link);
      this.#served.delete(link);
      const why = named ? `${link} is gone` : `No addresses are leased on ${link} any more`;
      this.#work.log.info("dhcp.link_closed", why, { link });
    }
    for (const link of this.#silent) {
      const stays = links.has(link) && !confirmed.has(link) && this.#work.isThere(link);
      if (!stays) this.#silent.delete(link);
    }
    for (const link of links) {
      if (this.#served.has(link) || this.#silent.has(link) || this.#probing.has(link)) continue;
      if (!this.#work.isThere(link)) continue;
      if (confirmed.has(link)) this.#serve(link);
      else this.#track(link, this.#begin(link));
    }
  }

  /** Ends when nothing is looked at any more; then serves no link. */
  async close(): Promise<void> {
    await Promise.all(this.#jobs);
    for (const link of this.#served) this.#work.close(link);
    this.#served.clear();
  }

  #serve(link: string): void {
    try {
      this.#work.open(link);
      this.#served.add(link);
      this.#work.log.info("dhcp.link_opened", `Leasing addresses on ${link}`, { link });
    } catch (error) {
      // It went meanwhile, or is not up yet: tried again.
      this.#work.log.debug("dhcp.link_not_ready", "A link cannot be served yet", { link, error });
    }
  }

  /** Serves a link unless another server answers there. */
  async #begin(link: string): Promise<void> {
    try {
      const other = await this.#work.probe(link);
      if (this.#work.ending.aborted || !this.#wanted.has(link)) return;
      if (other === null || !await this.#work.foreign({ link, server: other })) {
        return this.#serve(link);
      }
      this.#silent.add(link);
      this.#work.log.warn(
        "dhcp.foreign_server",
        `Another DHCP server answers on ${link}, so none of ours does`,
        {
          link,
          server: other,
        },
      );
    } catch (error) {
      // A link that is not up yet, or an api that is away: tried again.
      this.#work.log.debug("dhcp.link_not_ready", "A link cannot be served yet", { link, error });
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
