import { DnsFilter, type DnsFilterDeps } from "../../../system/dns/block/verdict/dns_filter.ts";
import type { TableBuild } from "../../../system/dns/block/table/build_in_worker.ts";
import { buildTable } from "../../../system/dns/block/table/build_table.ts";
import type { FetchOptions, FetchResult } from "../../../system/dns/block/lists/fetch_list.ts";
import { ListError } from "../../../system/dns/block/lists/list_error.ts";
import { ListFiles } from "../../../system/dns/block/lists/list_files.ts";

/** Unix milliseconds at which a {@link BlockBed} begins. */
export const BED_NOW = 1_800_000_000_000;

/** Builds in this thread: a table of a few names needs no other. */
export const buildHere: TableBuild = (folder, sources) =>
  buildTable(new ListFiles(folder), sources, [1, 2]);

/** Blocking over a folder, sources and a time of the test's own. */
export interface BlockBed extends AsyncDisposable {
  readonly folder: string;
  readonly fetches: string[];
  /** What a source sends now; absent: it fails. `null`: nothing is new. */
  readonly sources: Map<string, string | null>;
  now: number;
  /** Milliseconds until the alarms ring that are set. */
  readonly alarms: number[];
  open(deps?: Partial<DnsFilterDeps>): Promise<DnsFilter>;
  /** Lets the time go on and rings what is due. */
  pass(milliseconds: number): Promise<void>;
}

/** Makes a {@link BlockBed}; dispose it with `await using`. */
export async function blockBed(): Promise<BlockBed> {
  const folder = await Deno.makeTempDir();
  const open: DnsFilter[] = [];
  let ringing: { at: number; ring: () => void }[] = [];
  const fetch = async (options: FetchOptions): Promise<FetchResult> => {
    made.fetches.push(options.uri);
    const text = made.sources.get(options.uri);
    if (text === undefined) throw new ListError("The server responded with status 404");
    if (text === null) return { changed: false };
    await Deno.writeTextFile(options.target, text);
    return { changed: true, bytes: text.length, etag: '"1"', modified: "" };
  };
  const made: BlockBed = {
    folder,
    fetches: [],
    sources: new Map(),
    now: BED_NOW,
    get alarms() {
      return ringing.map(({ at }) => at - made.now);
    },
    async open(deps = {}) {
      const blocking = await DnsFilter.open({
        folder: `${folder}/lists`,
        fetch,
        build: buildHere,
        now: () => made.now,
        alarm(ring, milliseconds) {
          const entry = { at: made.now + milliseconds, ring };
          ringing.push(entry);
          return () => ringing = ringing.filter((one) => one !== entry);
        },
        log: { info() {}, warn() {} },
        ...deps,
      });
      open.push(blocking);
      return blocking;
    },
    async pass(milliseconds) {
      made.now += milliseconds;
      const due = ringing.filter(({ at }) => at <= made.now);
      ringing = ringing.filter(({ at }) => at > made.now);
      for (const { ring } of due) ring();
      for (const blocking of open) await blocking.lists.settled();
    },
    async [Symbol.asyncDispose]() {
      for (const blocking of open) await blocking.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
  return made;
}
