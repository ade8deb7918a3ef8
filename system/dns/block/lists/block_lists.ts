import { type Alarm, timeoutAlarm } from "../../../core/time/alarm.ts";
import type { Log } from "../../../core/log/log.ts";
import { type Build, buildApart } from "../table/build_in_worker.ts";
import type { BuildSource, Built } from "../table/build_table.ts";
import type { Fetched, FetchOptions } from "./fetch_list.ts";
import { ListFault } from "./list_error.ts";
import { ListFiles } from "./list_files.ts";
import { exists, removeAll, stampOf, sweep } from "./list_disk.ts";
import {
  type ListRecord,
  lostRecord,
  newRecord,
  nextLook,
  readRecords,
  writeRecords,
} from "./list_record.ts";
import { statusOf } from "./list_status.ts";
import { EMPTY_TABLE, NameTable } from "../table/name_table.ts";
import type { BlockConfig } from "../schema.ts";
import { isUpload } from "./source.ts";
import { readTable } from "../table/table_file.ts";
import type { ListStatus } from "../api_schema.ts";

/** Lists that are fetched at the same time. */
const AT_ONCE = 3;
/** Milliseconds that a fetched list waits for others, so that one table is built of them. */
const GATHER = 10_000;
/** Longest sleep in milliseconds: a clock that is set while we sleep is noticed. */
const LONGEST_SLEEP = 60_000;
/** Milliseconds before a build that failed is tried again. */
const AFTER_FAILURE = 60_000;
/** Milliseconds for which the files of a deleted list are kept, so that an undo finds them: a week. */
const KEPT = 7 * 86_400_000;

/** What block lists need from outside; the clock and the alarm too, so that tests own time. */
export interface ListsDeps {
  /** Where lists lie; made when it is not there. */
  readonly folder: string;
  readonly fetch: (options: FetchOptions) => Promise<Fetched>;
  readonly build?: Build;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly alarm?: Alarm;
  readonly log: Pick<Log, "info" | "warn">;
  /** Told of each new table. */
  readonly onTable: (table: NameTable) => void;
}

/**
 * Keeps the block lists of the configuration: fetches each when its time has come, and has the table
 * of all of them built anew. What was fetched once stays in force until something better came.
 */
export class BlockLists {
  readonly #deps: ListsDeps;
  readonly #files: ListFiles;
  readonly #records = new Map<string, ListRecord>();
  readonly #fetching = new Map<string, Promise<void>>();
  /** Lists whose new content is not in the table yet, and since when the first of them waits. */
  readonly #fresh = new Map<string, string>();
  readonly #ending = new AbortController();
  #since = 0;
  #config: BlockConfig | null = null;
  #table = EMPTY_TABLE;
  #building: Promise<void> | null = null;
  /** Unix milliseconds before which no build is tried. */
  #notBefore = 0;
  #writing: Promise<void> = Promise.resolve();
  #cancel = (): void => {};

  private constructor(deps: ListsDeps) {
    this.#deps = deps;
    this.#files = new ListFiles(deps.folder);
  }

  /** Opens what an earlier run left: its table is in force at once, without anything being fetched. */
  static async open(deps: ListsDeps): Promise<BlockLists> {
    const lists = new BlockLists(deps);
    await lists.#read();
    return lists;
  }

  get table(): NameTable {
    return this.#table;
  }

  get files(): ListFiles {
    return this.#files;
  }

  /** Follows another configuration. */
  configure(config: BlockConfig): void {
    this.#config = config;
    const now = this.#deps.now();
    const wanted = new Set(config.BlockLists.map(({ URI }) => URI));
    for (const uri of wanted) {
      const record = this.#records.get(uri) ?? newRecord(uri);
      this.#records.set(uri, { ...record, gone: 0 });
    }
    for (const [uri, record] of this.#records) {
      if (!wanted.has(uri) && record.gone === 0) this.#records.set(uri, { ...record, gone: now });
    }
    this.#step();
  }

  /** Looks at all lists now, or at one, whatever their time. */
  refresh(uri?: string): void {
    for (const [known, record] of this.#records) {
      if (uri === undefined || uri === known) {
        this.#records.set(known, { ...record, checked: 0 });
      }
    }
    this.#step();
  }

  /** Looks whether another upload lies there than the last that was read. */
  lookAtUploads(): void {
    for (const [uri, record] of this.#records) {
      if (isUpload(uri)) this.#records.set(uri, { ...record, checked: 0 });
    }
    this.#step();
  }

  /** How each list of the configuration stands. */
  status(): ListStatus[] {
    const now = this.#deps.now();
    const refresh = this.#config?.RefreshSeconds ?? 0;
    return (this.#config?.BlockLists ?? []).map((list) =>
      statusOf(list, this.#records.get(list.URI) ?? newRecord(list.URI), {
        refresh,
        now,
        fetching: this.#fetching.has(list.URI),
        fresh: this.#fresh.has(list.URI),
        inTable: this.#table.image.lists.includes(list.URI),
      })
    );
  }

  /** Ends when nothing is fetched or built any more. */
  async settled(): Promise<void> {
    while (this.#fetching.size > 0 || this.#building !== null) {
      await Promise.all([...this.#fetching.values(), this.#building]);
    }
    await this.#writing;
  }

  /** Ends everything; what was begun is begun again at the next start. */
  async close(): Promise<void> {
    this.#ending.abort();
    this.#cancel();
    await this.settled();
  }

  async #read(): Promise<void> {
    await Deno.mkdir(this.#deps.folder, { recursive: true, mode: 0o770 });
    await sweep(this.#deps.folder, this.#deps.now());
    for (const record of await readRecords(this.#files.status)) {
      const { uri, pending } = record;
      const come = isUpload(uri) ? this.#files.upload(uri) : this.#files.raw(uri);
      const waits = pending && await exists(come);
      if (waits) this.#arrived(uri, come);
      const known = waits || (!pending && await exists(this.#files.names(uri)));
      this.#records.set(uri, known ? record : lostRecord(record));
    }
    this.lookAtUploads();
    const image = await readTable(this.#files.table);
    if (image !== null) this.#take(new NameTable(image));
  }

  #take(table: NameTable): void {
    this.#table = table;
    this.#deps.onTable(table);
  }

  #wanted(): string[] {
    return (this.#config?.BlockLists ?? []).filter(({ Enabled }) => Enabled).map(({ URI }) => URI);
  }

  /** Does what is due, and sleeps until something else is. */
  #step(): void {
    if (this.#ending.signal.aborted || this.#config === null) return;
    this.#cancel();
    const now = this.#deps.now();
    let next = now + LONGEST_SLEEP;
    for (const uri of this.#wanted()) {
      if (this.#fetching.has(uri) || this.#fresh.has(uri)) continue;
      const at = isUpload(uri)
        ? (this.#records.get(uri)!.checked === 0 ? now : Infinity)
        : nextLook(this.#records.get(uri)!, this.#config.RefreshSeconds, now);
      if (at > now) next = Math.min(next, at);
      else if (this.#fetching.size < AT_ONCE) this.#fetch(uri);
    }
    if (this.#mustBuild()) {
      const gathered = this.#fetching.size === 0 ? now : this.#since + GATHER;
      const at = Math.max(gathered, this.#notBefore);
      if (at <= now) this.#build();
      else next = Math.min(next, at);
    }
    this.#forget(now);
    const alarm = this.#deps.alarm ?? timeoutAlarm;
    this.#cancel = alarm(() => this.#step(), Math.max(50, next - now));
  }

  #mustBuild(): boolean {
    if (this.#building !== null) return false;
    const wanted = this.#wanted();
    if (wanted.some((uri) => this.#fresh.has(uri))) return true;
    const had = wanted.filter((uri) => this.#records.get(uri)!.fetched > 0);
    const { lists } = this.#table.image;
    return had.some((uri) => !lists.includes(uri)) || lists.some((uri) => !wanted.includes(uri));
  }

  #fetch(uri: string): void {
    const done = (isUpload(uri) ? this.#lookAtUpload(uri) : this.#download(uri))
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

  async #lookAtUpload(uri: string): Promise<void> {
    // Before the look: one that comes meanwhile is told of again, and wants a look of its own.
    this.#change(uri, { checked: this.#deps.now() });
    const path = this.#files.upload(uri);
    const stamp = await stampOf(path);
    if (stamp === null) {
      this.#change(uri, { error: "It was not uploaded yet" });
      return;
    }
    const known = this.#records.get(uri)!;
    if (known.stamp === stamp.text && known.fetched > 0) return;
    this.#change(uri, { error: "", bytes: stamp.size, stamp: stamp.text });
    this.#arrived(uri, path);
  }

  #arrived(uri: string, path: string): void {
    if (this.#fresh.size === 0) this.#since = this.#deps.now();
    this.#fresh.set(uri, path);
    this.#change(uri, { pending: true });
  }

  #failed(uri: string, error: unknown): void {
    if (this.#ending.signal.aborted) return;
    const record = this.#records.get(uri)!;
    const words = error instanceof ListFault ? error.message : "It could not be stored";
    this.#change(uri, {
      checked: this.#deps.now(),
      failures: record.failures + 1,
      error: words,
    });
    this.#deps.log.warn("dns.list_fetch_failed", "A block list was not fetched", {
      list: uri,
      why: words,
      error,
    });
  }

  #build(): void {
    const wanted = this.#wanted();
    // What came for a list that was switched off meanwhile waits until it is wanted.
    const fresh = new Map([...this.#fresh].filter(([uri]) => wanted.includes(uri)));
    const sources = wanted.map((uri): BuildSource => ({
      uri,
      fresh: fresh.get(uri) ?? null,
    })).filter(({ uri, fresh }) => fresh !== null || this.#records.get(uri)!.fetched > 0);
    const build = this.#deps.build ?? buildApart;
    this.#building = build(this.#deps.folder, sources, this.#ending.signal)
      .then((built) => this.#built(built, fresh))
      .catch((error) => {
        if (this.#ending.signal.aborted) return;
        this.#notBefore = this.#deps.now() + AFTER_FAILURE;
        this.#deps.log.warn(
          "dns.lists_build_failed",
          "The table of block lists could not be built",
          { error },
        );
      })
      .finally(() => {
        this.#building = null;
        this.#save();
        this.#step();
      });
  }

  async #built({ image, lists }: Built, fresh: ReadonlyMap<string, string>): Promise<void> {
    this.#take(new NameTable(image));
    for (const { uri, names, exceptions, skipped, error } of lists) {
      const record = this.#records.get(uri);
      if (record === undefined) continue;
      const counts = { names, exceptions, ...(fresh.has(uri) ? { pending: false } : {}) };
      if (!fresh.has(uri)) this.#change(uri, counts);
      else if (error === "") {
        this.#change(uri, { ...counts, skipped, fetched: this.#deps.now(), error });
      } else {
        // What it sent is known to be no list; it must come whole again.
        const failures = record.failures + 1;
        this.#change(uri, { ...counts, error, failures, etag: "", modified: "" });
      }
    }
    this.#save();
    await this.#writing;
    await removeAll([...fresh].filter(([uri]) => !isUpload(uri)).map(([, path]) => path));
    // Not before: what comes next for the same list has the same place.
    for (const uri of fresh.keys()) this.#fresh.delete(uri);
    this.#deps.log.info("dns.lists_active", "Block lists are in force", {
      names: image.count,
      lists: lists.length,
    });
  }

  #change(uri: string, change: Partial<ListRecord>): void {
    const record = this.#records.get(uri);
    if (record !== undefined) this.#records.set(uri, { ...record, ...change });
  }

  /** Removes the files of lists that were deleted long ago. */
  #forget(now: number): void {
    for (const [uri, { gone }] of this.#records) {
      if (gone === 0 || now - gone < KEPT) continue;
      this.#records.delete(uri);
      this.#fresh.delete(uri);
      this.#writing = this.#writing.then(() => removeAll(this.#files.all(uri)));
      this.#save();
    }
  }

  #save(): void {
    this.#writing = this.#writing
      .then(() => writeRecords(this.#files.status, [...this.#records.values()]))
      .catch((error) =>
        this.#deps.log.warn(
          "dns.lists_state_not_saved",
          "What is known of block lists could not be written",
          { error },
        )
      );
  }
}
