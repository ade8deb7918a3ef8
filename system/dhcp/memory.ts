import { type Ask, Snapshot, type Told } from "./ask_schema.ts";

const NOTHING: Snapshot = { tag: "", links: [], confirmed: [], leases: [] };

/** What the DHCP server knows by itself: the api's last snapshot, and what was said since. */
export class LeaseMemory {
  readonly #path: string;
  readonly #leases = new Map<string, { readonly link: string | null; readonly told: Told }>();
  #snapshot: Snapshot = NOTHING;
  #writing: Promise<void> = Promise.resolve();

  /** `path`: where the snapshot outlives the process. */
  constructor(path: string) {
    this.#path = path;
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Reads what an earlier run left; a file that is none counts as nothing. */
  async read(): Promise<void> {
    try {
      this.#take(Snapshot.parse(JSON.parse(await Deno.readTextFile(this.#path))));
    } catch {
      this.#take(NOTHING);
    }
  }

  /** Takes the api's word, for now and for a later run. */
  replace(snapshot: Snapshot): void {
    this.#take(snapshot);
    this.#writing = this.#writing.then(() => this.#write()).catch(() => {});
  }

  /** Remembers what a client was told in answer to a request. */
  remember({ kind, mac, link }: Ask, told: Told): void {
    if (kind === "request") this.#leases.set(mac, { link, told });
  }

  /** What a client was told; null on another link than where it was last, and for a stranger. */
  of(mac: string, link: string): Told | null {
    const known = this.#leases.get(mac);
    return known !== undefined && (known.link === null || known.link === link) ? known.told : null;
  }

  /** The link where a client got its address last; null for one that never did. */
  placeOf(mac: string): string | null {
    return this.#leases.get(mac)?.link ?? null;
  }

  /** Ends when what was taken is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  #take(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    this.#leases.clear();
    for (const { mac, link, told } of snapshot.leases) this.#leases.set(mac, { link, told });
  }

  async #write(): Promise<void> {
    const beside = `${this.#path}.new`;
    await Deno.writeTextFile(beside, `${JSON.stringify(this.#snapshot)}\n`, { mode: 0o600 });
    await Deno.rename(beside, this.#path);
  }
}
