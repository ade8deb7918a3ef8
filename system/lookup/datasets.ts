import { join } from "node:path";
import { removeFile } from "../core/config/files.ts";
import type { Log } from "../core/log/log.ts";
import { Problem } from "../core/errors/problem.ts";
import { errorText } from "../core/errors/error_text.ts";
import type { Tables } from "./lookup_rules.ts";
import { type Dataset, DATASETS, type DatasetStatus } from "./schema.ts";
import {
  type CompileJob,
  countriesOf,
  factsOf,
  networksOf,
  type TableFacts,
  vendorsOf,
} from "./tables/compile.ts";
import { DataError } from "./tables/data_error.ts";
import { readTable, type TableImage } from "./tables/table_file.ts";

/** Where a table comes from at first: the files of packages, with what their licenses require to be shown. */
interface PackagedData extends Pick<DatasetStatus, "License" | "Attribution"> {
  readonly package: string;
  readonly files: readonly string[];
}

/** The data that comes with the program. */
const PACKAGED: Readonly<Record<Dataset, PackagedData>> = {
  asn: {
    package: "@ip-location-db/asn",
    files: ["asn-ipv4.csv", "asn-ipv6.csv"],
    License: "CC BY 4.0",
    Attribution: [
      { Name: "IP Geolocation by DB-IP", URL: "https://db-ip.com" },
      { Name: "Route Views", URL: "https://www.routeviews.org" },
      { Name: "NRO", URL: "https://www.nro.net" },
    ],
  },
  country: {
    package: "@ip-location-db/asn-country",
    files: ["asn-country-ipv4.csv", "asn-country-ipv6.csv"],
    License: "CC BY 4.0",
    Attribution: [{ Name: "NRO", URL: "https://www.nro.net" }],
  },
  oui: {
    package: "oui-data",
    files: ["index.json"],
    License: "BSD-2-Clause",
    Attribution: [{ Name: "IEEE Registration Authority", URL: "https://standards-oui.ieee.org" }],
  },
};

/** Largest data file that is taken over a socket, as it is sent: compressed or not. */
const MAX_UPLOAD_BYTES = 64 << 20;

/** Dependencies of {@link Datasets}. */
export interface DatasetsDeps {
  /** Folder of the tables. */
  readonly folder: string;
  /** Folder with the packages that have the first data. */
  readonly packages: string;
  readonly compile: (job: CompileJob, ending: AbortSignal) => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Pick<Log, "info" | "warn">;
  readonly ending: AbortSignal;
}

interface Loaded {
  readonly facts: TableFacts;
  readonly bytes: number;
}

/** The tables of the lookup service, each in a file from which the next start goes on. */
export class Datasets {
  readonly #deps: DatasetsDeps;
  readonly #loaded = new Map<Dataset, Loaded>();
  readonly #errors = new Map<Dataset, string>();
  #tables: Tables = { networks: null, countries: null, vendors: null };
  /** One table is compiled at a time: each takes its memory. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(deps: DatasetsDeps) {
    this.#deps = deps;
  }

  /** What the service answers from now. */
  get tables(): Tables {
    return this.#tables;
  }

  /** Loads the tables of an earlier run, and compiles those that are missing, or of an older package. */
  async open(): Promise<void> {
    const missing: Dataset[] = [];
    for (const dataset of DATASETS) {
      const stored = await readTable(this.#path(dataset));
      if (stored !== null) this.#use(dataset, stored);
      const source = await this.#packageName(dataset);
      const { source: before = "" } = stored === null ? {} : factsOf(stored);
      const isOutdated = before.startsWith(`${PACKAGED[dataset].package}@`) && before !== source;
      if (stored === null || isOutdated) missing.push(dataset);
    }
    for (const dataset of missing) {
      await this.#enqueue(() => this.#compilePackaged(dataset)).catch((error) =>
        this.#failed(dataset, error)
      );
    }
  }

  /** Tells these tables from others. */
  get tag(): string {
    return DATASETS.map((dataset) => this.#loaded.get(dataset)?.facts.compiled ?? "").join();
  }

  /** State of each table. */
  status(): readonly DatasetStatus[] {
    return DATASETS.map((dataset) => {
      const { License, Attribution } = PACKAGED[dataset];
      const loaded = this.#loaded.get(dataset);
      const { source = "", compiled = "", rows4 = 0, rows6 = 0 } = loaded?.facts ?? {};
      const isPackaged = loaded === undefined || source.startsWith(PACKAGED[dataset].package);
      return {
        Dataset: dataset,
        Source: source,
        License: isPackaged ? License : "",
        Attribution: isPackaged ? [...Attribution] : [],
        Compiled: compiled,
        Rows: rows4 + rows6,
        Bytes: loaded?.bytes ?? 0,
        Error: this.#errors.get(dataset) ?? "",
      };
    });
  }

  /**
   * Replaces a table by what is in a data file. Throws Problem 400 for one that is no such data: the
   * table stays.
   */
  async replace(
    dataset: Dataset,
    content: ReadableStream<Uint8Array>,
    source: string,
  ): Promise<void> {
    const file = join(this.#deps.folder, `${dataset}.${crypto.randomUUID().slice(0, 8)}.upload`);
    try {
      await save(content, file);
      await this.#enqueue(() => this.#compile({ dataset, files: [file], source, replaces: true }));
    } catch (error) {
      this.#failed(dataset, error);
      if (error instanceof DataError) throw new Problem(400, error.message, { cause: error });
      throw error;
    } finally {
      await removeFile(file);
    }
  }

  /** Goes back to the data that comes with the program. */
  async reset(dataset: Dataset): Promise<void> {
    await this.#enqueue(() => this.#compilePackaged(dataset));
  }

  #enqueue<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(run);
    this.#queue = result.catch(() => {});
    return result;
  }

  async #compilePackaged(dataset: Dataset): Promise<void> {
    const { package: name, files } = PACKAGED[dataset];
    const folder = join(this.#deps.packages, name);
    const source = await this.#packageName(dataset);
    await this.#compile({ dataset, files: files.map((file) => join(folder, file)), source });
  }

  async #compile(job: Omit<CompileJob, "path" | "at">): Promise<void> {
    const { now, compile, ending, log } = this.#deps;
    const { dataset, source } = job;
    const path = this.#path(dataset);
    await compile({ ...job, path, at: new Date(now()).toISOString() }, ending);
    const stored = await readTable(path);
    if (stored === null) throw new Error("The table cannot be read again");
    this.#use(dataset, stored);
    this.#errors.delete(dataset);
    const { rows4, rows6 } = factsOf(stored);
    log.info("lookup.table_compiled", `The table ${dataset} was compiled`, {
      source,
      rows: rows4 + rows6,
    });
  }

  #use(dataset: Dataset, stored: TableImage<unknown>): void {
    const bytes = Object.values(stored.columns).reduce(
      (sum, { byteLength }) => sum + byteLength,
      0,
    );
    this.#loaded.set(dataset, { facts: factsOf(stored), bytes });
    this.#tables = {
      ...this.#tables,
      ...(dataset === "asn"
        ? { networks: networksOf(stored) }
        : dataset === "country"
        ? { countries: countriesOf(stored) }
        : { vendors: vendorsOf(stored) }),
    };
  }

  #failed(dataset: Dataset, error: unknown): void {
    if (this.#deps.ending.aborted) return;
    this.#errors.set(dataset, errorText(error));
    this.#deps.log.warn("lookup.table_failed", `The table ${dataset} could not be replaced`, {
      error,
    });
  }

  #path(dataset: Dataset): string {
    return join(this.#deps.folder, `${dataset}.table`);
  }

  /** Name and version of the package that has the first data. */
  async #packageName(dataset: Dataset): Promise<string> {
    const name = PACKAGED[dataset].package;
    try {
      const text = await Deno.readTextFile(join(this.#deps.packages, name, "package.json"));
      return `${name}@${String(JSON.parse(text).version)}`;
    } catch {
      return `${name}@unknown`;
    }
  }
}

/** Saves what is sent. Throws {@link DataError} beyond the limit. */
async function save(content: ReadableStream<Uint8Array>, path: string): Promise<void> {
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  let size = 0;
  for await (const part of content) {
    size += part.length;
    if (size > MAX_UPLOAD_BYTES) {
      throw new DataError(`The file is larger than ${MAX_UPLOAD_BYTES >> 20} MB`);
    }
    for (let done = 0; done < part.length;) done += await file.write(part.subarray(done));
  }
}
