import { type Alarm, timeoutAlarm } from "../../../core/time/timeouts.ts";
import type { Log } from "../../../core/log/log.ts";
import { buildInWorker, type TableBuild } from "../table/build_in_worker.ts";
import type { BuildResult, ListSource } from "../table/build_table.ts";
import type { FetchOptions, FetchResult } from "./fetch_list.ts";
import { ListError } from "./list_error.ts";
import { ListFiles } from "./list_files.ts";
import { exists, fingerprintOf, removeFiles, removeLeftovers } from "./list_disk.ts";
import {
  type ListRecord,
  newRecord,
  nextCheck,
  readRecords,
  withoutContent,
  writeRecords,
} from "./list_record.ts";
import { statusOf } from "./list_status.ts";
import { EMPTY_TABLE, NameTable } from "../table/name_table.ts";
import type { BlockConfig } from "../schema.ts";
import { totalOf } from "./skipped_lines.ts";
import { isUpload } from "./source.ts";
import { tryList } from "./try_list.ts";
import { readTable } from "../table/table_file.ts";
import type { ListStatus } from "../api_schema.ts";

const MAX_CONCURRENT_FETCHES = 3;
/** Milliseconds that a fetched list waits for others, so that the table is built once. */
const BUILD_DELAY_MS = 10_000;
/** Maximum sleep, so that a change of the clock is noticed. */
const MAX_SLEEP_MS = 60_000;
const BUILD_RETRY_DELAY_MS = 60_000;
/** Milliseconds that the files of a deleted list are kept, so that a revert finds them: a week. */
const REMOVED_LIST_RETENTION_MS = 7 * 86_400_000;

/** Dependencies of {@link BlockLists}. */
export interface BlockListsDeps {
  /** Folder of the lists, created when missing. */
  readonly folder: string;
  readonly fetch: (options: FetchOptions) => Promise<FetchResult>;
  readonly build?: TableBuild;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly alarm?: Alarm;
  readonly log: Pick<Log, "info" | "warn">;
  /** Called with each new table. */
  readonly onTable: (table: NameTable) => void;
}

/**
 * Maintains the configured block lists: fetches each when it is due, and rebuilds the table of all of
 * them. A list that was fetched once stays active until a newer version is ready.
 */
export class BlockLists {
  readonly #deps: BlockListsDeps;
  readonly #files: ListFiles;
  readonly #records = new Map<string, ListRecord>();
  readonly #fetching = new Map<string, Promise<void>>();
  /** Lists with new content that is not in the table yet, and the path of that content. */
  readonly #unbuilt = new Map<string, string>();
  readonly #ending = new AbortController();
  /** Unix milliseconds since when the first of them waits. */
  #unbuiltSince = 0;
  #config: BlockConfig | null = null;
  #table = EMPTY_TABLE;
  #building: Promise<void> | null = null;
  /** Unix milliseconds before which no build is started. */
  #buildNotBefore = 0;
  #writing: Promise<void> = Promise.resolve();
  #cancel = (): void => {};
  #trials = 0;

  private constructor(deps: BlockListsDeps) {
    this.#deps = deps;
    this.#files = new ListFiles(deps.folder);
  }

  /** Opens the lists of an earlier run: their table is active at once, before anything is fetched. */
  static async open(deps: BlockListsDeps): Promise<BlockLists> {
    const lists = new BlockLists(deps);
    await lists.#load();
    return lists;
  }

  get table(): NameTable {
    return this.#table;
  }

  get files(): ListFiles {
    return this.#files;
  }

  /** Applies a configuration. */
  configure(config: BlockConfig): void {
    this.#config = config;
    const now = this.#deps.now();
    const enabled = new Set(config.BlockLists.map(({ URI }) => URI));
    for (const uri of enabled) {
      const record = this.#records.get(uri) ?? newRecord(uri);
      this.#records.set(uri, { ...record, removedAt: 0 });
    }
    for (const [uri, record] of this.#records) {
      if (!enabled.has(uri) && record.removedAt === 0) {
        this.#records.set(uri, { ...record, removedAt: now });
      }
    }
    this.#step();
  }

  /** Checks all lists, or one, now. */
  refresh(uri?: string): void {
    for (const [known, record] of this.#records) {
      if (uri === undefined || uri === known) {
        this.#records.set(known, { ...record, checked: 0 });
      }
    }
    this.#step();
  }

  /** Fetches a list as a trial and keeps nothing of it; see {@link tryList}. Throws ListError. */
  async tryFetch(uri: string): Promise<{ readonly bytes: number }> {
    if (this.#trials >= MAX_CONCURRENT_FETCHES) {
      throw new ListError("Other lists are being checked; try again in a minute");
    }
    this.#trials++;
    const target = this.#files.trial();
    try {
      return await tryList({ uri, target, signal: this.#ending.signal }, this.#deps.fetch);
    } finally {
      this.#trials--;
    }
  }

  /** Checks for new uploads. */
  checkUploads(): void {
    for (const [uri, record] of this.#records) {
      if (isUpload(uri)) this.#records.set(uri, { ...record, checked: 0 });
    }
    this.#step();
  }

  /** Status of each configured list. */
  status(): ListStatus[] {
    const now = this.#deps.now();
    const refresh = this.#config?.RefreshSeconds ?? 0;
    return (this.#config?.BlockLists ?? []).map((list) =>
      statusOf(list, this.#records.get(list.URI) ?? newRecord(list.URI), {
        refresh,
        now,
        fetching: this.#fetching.has(list.URI),
        unbuilt: this.#unbuilt.has(list.URI),
        inTable: this.#table.image.lists.includes(list.URI),
      })
    );
  }

  /** Resolves when nothing is being fetched or built. */
  async settled(): Promise<void> {
    while (this.#fetching.size > 0 || this.#building !== null) {
      await Promise.all([...this.#fetching.values(), this.#building]);
    }
    await this.#writing;
  }

  /** Stops everything; unfinished work is repeated at the next start. */
  async close(): Promise<void> {
    this.#ending.abort();
    this.#cancel();
    await this.settled();
  }

  async #load(): Promise<void> {
    await Deno.mkdir(this.#deps.folder, { recursive: true, mode: 0o770 });
    await removeLeftovers(this.#deps.folder, this.#deps.now());
    for (const record of await readRecords(this.#files.status)) {
      const { uri, unbuilt } = record;
      const source = isUpload(uri) ? this.#files.upload(uri) : this.#files.raw(uri);
      const hasSource = unbuilt && await exists(source);
      if (hasSource) this.#arrived(uri, source);
      const isKnown = hasSource || (!unbuilt && await exists(this.#files.names(uri)));
      this.#records.set(uri, isKnown ? record : withoutContent(record));
    }
    this.checkUploads();
    const image = await readTable(this.#files.table);
    if (image !== null) this.#useTable(new NameTable(image));
  }

  #useTable(table: NameTable): void {
    this.#table = table;
    this.#deps.onTable(table);
  }

  #enabledUris(): string[] {
    return (this.#config?.BlockLists ?? []).filter(({ Enabled }) => Enabled).map(({ URI }) => URI);
  }

  /** Starts what is due and sleeps until something else is. */
  #step(): void {
    if (this.#ending.signal.aborted || this.#config === null) return;
    this.#cancel();
    const now = this.#deps.now();
    let next = now + MAX_SLEEP_MS;
    for (const uri of this.#enabledUris()) {
      if (this.#fetching.has(uri) || this.#unbuilt.has(uri)) continue;
      const at = isUpload(uri)
        ? (this.#records.get(uri)!.checked === 0 ? now : Infinity)
        : nextCheck(this.#records.get(uri)!, this.#config.RefreshSeconds, now);
      if (at > now) next = Math.min(next, at);
      else if (this.#fetching.size < MAX_CONCURRENT_FETCHES) this.#fetch(uri);
    }
    if (this.#needsBuild()) {
      const collected = this.#fetching.size === 0 ? now : this.#unbuiltSince + BUILD_DELAY_MS;
      const at = Math.max(collected, this.#buildNotBefore);
      if (at <= now) this.#build();
      else next = Math.min(next, at);
    }
    this.#removeExpiredFiles(now);
    const alarm = this.#deps.alarm ?? timeoutAlarm;
    this.#cancel = alarm(() => this.#step(), Math.max(50, next - now));
  }

  #needsBuild(): boolean {
    if (this.#building !== null) return false;
    const enabled = this.#enabledUris();
    if (enabled.some((uri) => this.#unbuilt.has(uri))) return true;
    const fetched = enabled.filter((uri) => this.#records.get(uri)!.fetched > 0);
    const { lists } = this.#table.image;
    return fetched.some((uri) => !lists.includes(uri)) ||
      lists.some((uri) => !enabled.includes(uri));
  }

  #fetch(uri: string): void {
    const done = (isUpload(uri) ? this.#checkUpload(uri) : this.#download(uri))
      .catch((error) => this.#failed(uri, error))
      .finally(() => {
        this.#fetching.delete(uri);
        this.#save();
        this.#step();
      });
    this.#fetching.set(uri, done);
  }

  async #download(uri: string): Promise<void> {
    const record = this.#records.get(uri)!;
    const known = record.fetched > 0 ? { etag: record.etag, modified: record.modified } : null;
    const target = this.#files.raw(uri);
    const fetched = await this.#deps.fetch({ uri, target, known, signal: this.#ending.signal });
    const checked = { checked: this.#deps.now(), failures: 0, error: "" };
    if (fetched.changed) {
      const { bytes, etag, modified } = fetched;
      this.#change(uri, { ...checked, bytes, etag, modified });
      this.#arrived(uri, target);
    } else this.#change(uri, checked);
  }

  async #checkUpload(uri: string): Promise<void> {
    // Set before the check, so that an upload during it is checked again.
    this.#change(uri, { checked: this.#deps.now() });
    const path = this.#files.upload(uri);
    const fingerprint = await fingerprintOf(path);
    if (fingerprint === null) {
      this.#change(uri, { error: "The list was not uploaded yet" });
      return;
    }
    const known = this.#records.get(uri)!;
    if (known.fingerprint === fingerprint.text && known.fetched > 0) return;
    this.#change(uri, { error: "", bytes: fingerprint.size, fingerprint: fingerprint.text });
    this.#arrived(uri, path);
  }

  #arrived(uri: string, path: string): void {
    if (this.#unbuilt.size === 0) this.#unbuiltSince = this.#deps.now();
    this.#unbuilt.set(uri, path);
    this.#change(uri, { unbuilt: true });
  }

  #failed(uri: string, error: unknown): void {
    if (this.#ending.signal.aborted) return;
    const record = this.#records.get(uri)!;
    const message = error instanceof ListError ? error.message : "The file could not be saved";
    this.#change(uri, {
      checked: this.#deps.now(),
      failures: record.failures + 1,
      error: message,
    });
    this.#deps.log.warn("dns.list_fetch_failed", "A block list could not be fetched", {
      list: uri,
      reason: message,
      error,
    });
  }

  #build(): void {
    const enabled = this.#enabledUris();
    // New content of a list that was disabled meanwhile waits until it is enabled.
    const added = new Map([...this.#unbuilt].filter(([uri]) => enabled.includes(uri)));
    const sources = enabled.map((uri): ListSource => ({
      uri,
      newContent: added.get(uri) ?? null,
    })).filter(({ uri, newContent }) => newContent !== null || this.#records.get(uri)!.fetched > 0);
    const build = this.#deps.build ?? buildInWorker;
    this.#building = build(this.#deps.folder, sources, this.#ending.signal)
      .then((built) => this.#built(built, added))
      .catch((error) => {
        if (this.#ending.signal.aborted) return;
        this.#buildNotBefore = this.#deps.now() + BUILD_RETRY_DELAY_MS;
        this.#deps.log.warn("dns.lists_build_failed", "The block list table could not be built", {
          error,
        });
      })
      .finally(() => {
        this.#building = null;
        this.#save();
        this.#step();
      });
  }

  async #built({ image, lists }: BuildResult, added: ReadonlyMap<string, string>): Promise<void> {
    this.#useTable(new NameTable(image));
    for (const { uri, domains, exceptions, skipped, error } of lists) {
      const record = this.#records.get(uri);
      if (record === undefined) continue;
      const counts = { domains, exceptions, ...(added.has(uri) ? { unbuilt: false } : {}) };
      if (!added.has(uri)) this.#change(uri, counts);
      else if (error === "") {
        const { lines, reasons } = skipped;
        const notUsed = { skipped: totalOf(reasons), lines, reasons };
        this.#change(uri, { ...counts, ...notUsed, fetched: this.#deps.now(), error });
      } else {
        // The content is no list, so a conditional request must not confirm it.
        const failures = record.failures + 1;
        this.#change(uri, { ...counts, error, failures, etag: "", modified: "" });
      }
    }
    this.#save();
    await this.#writing;
    await removeFiles([...added].filter(([uri]) => !isUpload(uri)).map(([, path]) => path));
    // Not before: new content of the same list has the same path.
    for (const uri of added.keys()) this.#unbuilt.delete(uri);
    this.#deps.log.info("dns.lists_active", "Block lists updated", {
      domains: image.count,
      lists: lists.length,
    });
  }

  #change(uri: string, change: Partial<ListRecord>): void {
    const record = this.#records.get(uri);
    if (record !== undefined) this.#records.set(uri, { ...record, ...change });
  }

  /** Removes the files of lists whose retention is over. */
  #removeExpiredFiles(now: number): void {
    for (const [uri, { removedAt }] of this.#records) {
      if (removedAt === 0 || now - removedAt < REMOVED_LIST_RETENTION_MS) continue;
      this.#records.delete(uri);
      this.#unbuilt.delete(uri);
      this.#writing = this.#writing.then(() => removeFiles(this.#files.all(uri)));
      this.#save();
    }
  }

  #save(): void {
    this.#writing = this.#writing
      .then(() => writeRecords(this.#files.status, [...this.#records.values()]))
      .catch((error) =>
        this.#deps.log.warn(
          "dns.lists_state_not_saved",
          "The state of block lists could not be saved",
          { error },
        )
      );
  }
}
