import { FeedFile } from "../core/ipc/feed.ts";
import { type ClientMessage, type LeaseDecision, Snapshot } from "./api_schema.ts";

const EMPTY: Snapshot = {
  tag: "",
  decided: false,
  links: [],
  serveAnyway: [],
  points: [],
  leases: [],
};

/** The api's last snapshot, and the leases granted since. */
export class LeaseCache {
  readonly #file: FeedFile<Snapshot>;
  readonly #leases = new Map<
    string,
    { readonly link: string | null; readonly lease: LeaseDecision }
  >();
  #snapshot: Snapshot = EMPTY;

  /** `path`: where the snapshot is stored. */
  constructor(path: string) {
    this.#file = new FeedFile(path, Snapshot);
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Reads the snapshot of an earlier run; an unreadable file counts as none. */
  async read(): Promise<void> {
    this.#load(await this.#file.read() ?? EMPTY);
  }

  /** Takes over a snapshot of the api, and stores it for a later run. */
  replace(snapshot: Snapshot): void {
    this.#load(snapshot);
    this.#file.write(snapshot);
  }

  /** Stores the lease of a request. */
  store({ kind, mac, link }: ClientMessage, lease: LeaseDecision): void {
    if (kind === "request") this.#leases.set(mac, { link, lease });
  }

  /** The lease of a client; null on another interface than its last one, and for an unknown client. */
  get(mac: string, link: string): LeaseDecision | null {
    const known = this.#leases.get(mac);
    return known !== undefined && (known.link === null || known.link === link) ? known.lease : null;
  }

  /** The last lease of a client and the interface where it got it; null for an unknown client. */
  last(mac: string): { readonly link: string | null; readonly lease: LeaseDecision } | null {
    return this.#leases.get(mac) ?? null;
  }

  /** Resolves when the last snapshot is written. */
  async settled(): Promise<void> {
    await this.#file.settled();
  }

  #load(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    this.#leases.clear();
    for (const { mac, link, lease } of snapshot.leases) {
      this.#leases.set(mac, { link, lease });
    }
  }
}
