import { type ClientMessage, type LeaseDecision, Snapshot } from "./api_schema.ts";

const EMPTY: Snapshot = { tag: "", links: [], serveAnyway: [], leases: [] };

/** The api's last snapshot, and the leases granted since. */
export class LeaseCache {
  readonly #path: string;
  readonly #leases = new Map<
    string,
    { readonly link: string | null; readonly lease: LeaseDecision }
  >();
  #snapshot: Snapshot = EMPTY;
  #writing: Promise<void> = Promise.resolve();

  /** `path`: where the snapshot is stored. */
  constructor(path: string) {
    this.#path = path;
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Reads the snapshot of an earlier run; an unreadable file counts as none. */
  async read(): Promise<void> {
    try {
      this.#load(Snapshot.parse(JSON.parse(await Deno.readTextFile(this.#path))));
    } catch {
      this.#load(EMPTY);
    }
  }

  /** Takes over a snapshot of the api, and stores it for a later run. */
  replace(snapshot: Snapshot): void {
    this.#load(snapshot);
    this.#writing = this.#writing.then(() => this.#write()).catch(() => {});
  }

  /** Stores the lease of a request. */
  store({ kind, mac, link }: ClientMessage, lease: LeaseDecision): void {
    if (kind === "request") this.#leases.set(mac, { link, lease });
  }

  /** The lease of a client; null on another link than its last one, and for an unknown client. */
  get(mac: string, link: string): LeaseDecision | null {
    const known = this.#leases.get(mac);
    return known !== undefined && (known.link === null || known.link === link) ? known.lease : null;
  }

  /** The link where a client last got its address; null for none. */
  linkOf(mac: string): string | null {
    return this.#leases.get(mac)?.link ?? null;
  }

  /** Resolves when the last snapshot is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  #load(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    this.#leases.clear();
    for (const { mac, link, lease: lease } of snapshot.leases) {
      this.#leases.set(mac, { link, lease });
    }
  }

  async #write(): Promise<void> {
    const beside = `${this.#path}.new`;
    await Deno.writeTextFile(beside, `${JSON.stringify(this.#snapshot)}\n`, { mode: 0o600 });
    await Deno.rename(beside, this.#path);
  }
}
