import type { Dataset } from "../schema.ts";
import { compileCountries, type CompiledRanges, compileNetworks } from "./compile_ranges.ts";
import type { NetworkTable } from "../lookup_rules.ts";
import { DataError } from "./data_error.ts";
import { type Columns, readTable, type TableImage, writeTable } from "./table_file.ts";
import { compileVendors, countOf, type VendorTable } from "./vendor_table.ts";

/** What is known of a table. */
export interface TableFacts {
  readonly source: string;
  readonly compiled: string;
  readonly rows4: number;
  readonly rows6: number;
}

/** A table to compile from files. */
export interface CompileJob {
  readonly dataset: Dataset;
  readonly files: readonly string[];
  /** The table, which is replaced once the new one is complete. */
  readonly path: string;
  readonly source: string;
  /** RFC 3339. */
  readonly at: string;
  /** The files are of the same kind as the table that there is: what they leave out stays. */
  readonly replaces?: boolean;
}

/** What came of a job. */
export type CompileAnswer = "done" | {
  readonly message: string;
  /** The files are no data, rather than the disk at fault. */
  readonly isRefusal: boolean;
};

const MAX_VENDOR_BYTES = 64 << 20;

/** Compiles a table from data files and writes it. Throws {@link DataError} for files that are no data. */
export async function compile(job: CompileJob): Promise<void> {
  const { dataset, files, path, source, at } = job;
  const old = job.replaces ? await readTable(path) : null;
  const opened = await Promise.all(files.map((file) => Deno.open(file)));
  try {
    const contents = opened.map(({ readable }) => readable);
    const made = dataset === "oui"
      ? vendorImage(compileVendors(await textOf(contents[0]!), old && vendorsOf(old)))
      : dataset === "asn"
      ? networkImage(await compileNetworks(contents, old && networksOf(old)))
      : countryImage(await compileCountries(contents, old && countriesOf(old)));
    const { columns, rows4, rows6 } = made;
    await writeTable(path, { facts: { source, compiled: at, rows4, rows6 }, columns });
  } finally {
    for (const file of opened) closeQuietly(file);
  }
}

/** A stream that was read to its end has closed its file. */
function closeQuietly(file: Deno.FsFile): void {
  try {
    file.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}

async function textOf(content: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const part of content) {
    text += decoder.decode(part, { stream: true });
    if (text.length > MAX_VENDOR_BYTES) throw new DataError("The file is too large");
  }
  return text + decoder.decode();
}

interface Image {
  readonly columns: Columns;
  readonly rows4: number;
  readonly rows6: number;
}

function countryImage({ four, six, rows4, rows6 }: CompiledRanges): Image {
  const columns = {
    starts4: four.starts,
    values4: four.values,
    starts6: six.starts,
    values6: six.values,
  };
  return { columns, rows4, rows6 };
}

function networkImage(table: NetworkTable): Image {
  const { columns, ...rows } = countryImage(table);
  const { numbers, names } = table;
  return {
    columns: { ...columns, numbers, nameOffsets: names.offsets, nameBytes: names.bytes },
    ...rows,
  };
}

function vendorImage(table: VendorTable): Image {
  const { names, ...columns } = table;
  return {
    columns: { ...columns, nameOffsets: names.offsets, nameBytes: names.bytes },
    rows4: countOf(table),
    rows6: 0,
  };
}

type Stored = TableImage<unknown>;

/** What a file says of its table. */
export function factsOf({ facts }: Stored): TableFacts {
  return facts as TableFacts;
}

/** Countries in the columns of a file. */
export function countriesOf(stored: Stored): CompiledRanges {
  const { starts4, values4, starts6, values6 } = stored.columns as Record<string, Uint32Array>;
  const { rows4, rows6 } = factsOf(stored);
  return {
    four: { starts: starts4!, values: values4! },
    six: { starts: starts6!, values: values6! },
    rows4,
    rows6,
  };
}

/** Networks in the columns of a file. */
export function networksOf(stored: Stored): NetworkTable {
  return {
    ...countriesOf(stored),
    numbers: stored.columns["numbers"] as Uint32Array,
    names: namesOf(stored),
  };
}

/** Vendors in the columns of a file. */
export function vendorsOf(stored: Stored): VendorTable {
  const { columns } = stored as unknown as { readonly columns: VendorTable };
  const { keys24, keys28, keys36, vendors24, vendors28, vendors36 } = columns;
  return { keys24, keys28, keys36, vendors24, vendors28, vendors36, names: namesOf(stored) };
}

function namesOf({ columns }: Stored): VendorTable["names"] {
  return {
    offsets: columns["nameOffsets"] as Uint32Array,
    bytes: columns["nameBytes"] as Uint8Array,
  };
}
