import { type DnsSnapshot, SnapshotShape } from "./snapshot_schema.ts";

/** The last snapshot, which outlives the process: dnsd goes on from it while the api is away. */
export class SnapshotMemory {
  readonly #path: string;
  #writing: Promise<void> = Promise.resolve();

  /** `path`: where it lies. */
  constructor(path: string) {
    this.#path = path;
  }

  /** What an earlier run left; null for nothing that can be used. */
  async read(): Promise<DnsSnapshot | null> {
    try {
      return SnapshotShape.parse(JSON.parse(await Deno.readTextFile(this.#path)));
    } catch {
      return null;
    }
  }

  /** Keeps a snapshot for a later run. */
  write(snapshot: DnsSnapshot): void {
    this.#writing = this.#writing.then(() => this.#write(snapshot)).catch(() => {});
  }

  /** Ends when what was given is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #write(snapshot: DnsSnapshot): Promise<void> {
    const beside = `${this.#path}.new`;
    await Deno.writeTextFile(beside, `${JSON.stringify(snapshot)}\n`, { mode: 0o600 });
    await Deno.rename(beside, this.#path);
  }
}
