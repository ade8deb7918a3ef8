import { createHash } from "node:crypto";
import { createAnew } from "../../core/config/files.ts";
import { isFileError } from "../../core/errors/disk_error.ts";

/** First bytes of the file; the last one is the version of the format. */
const MAGIC = "SLUICEL1";
/** Offset of the header, after {@link MAGIC} and its length as u32. */
const HEADER_START = 12;
const MAX_HEADER_BYTES = 1 << 20;
const DIGEST_BYTES = 32;
/** Parts begin at multiples of it, so that they can be used where they lie. */
const ALIGNMENT = 8;

/** Parts of a table: columns that are searched where they lie. */
export type Columns = Readonly<Record<string, Uint8Array | Uint32Array | Float64Array>>;

/** A table as a file has it. */
export interface TableImage<Facts> {
  /** What is known of it: source, date, rows. */
  readonly facts: Facts;
  readonly columns: Columns;
}

interface Header {
  readonly facts: unknown;
  readonly columns: readonly {
    readonly name: string;
    readonly type: "u8" | "u32" | "f64";
    readonly length: number;
  }[];
}

const TYPES = { u8: Uint8Array, u32: Uint32Array, f64: Float64Array } as const;

function typeOf(column: Columns[string]): keyof typeof TYPES {
  if (column instanceof Uint8Array) return "u8";
  return column instanceof Uint32Array ? "u32" : "f64";
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

/** Writes a table durably and atomically. */
export async function writeTable(path: string, image: TableImage<unknown>): Promise<void> {
  const columns = Object.entries(image.columns);
  const header: Header = {
    facts: image.facts,
    columns: columns.map(([name, column]) => ({
      name,
      type: typeOf(column),
      length: column.length,
    })),
  };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const prefix = new Uint8Array(aligned(HEADER_START + text.length));
  prefix.set(new TextEncoder().encode(MAGIC));
  new DataView(prefix.buffer).setUint32(MAGIC.length, text.length, true);
  prefix.set(text, HEADER_START);
  const parts = [prefix];
  for (const [, column] of columns) {
    const part = new Uint8Array(aligned(column.byteLength));
    part.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
    parts.push(part);
  }
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  parts.push(new Uint8Array(hash.digest()));
  const temporary = `${path}.new`;
  {
    using file = await createAnew(temporary);
    for (const part of parts) {
      for (let done = 0; done < part.length;) done += await file.write(part.subarray(done));
    }
    await file.sync();
  }
  await Deno.rename(temporary, path);
}

/** Reads a table; null when it is missing or corrupt. Its columns lie in the one buffer of the file. */
export async function readTable(path: string): Promise<TableImage<unknown> | null> {
  try {
    return parseTable(await Deno.readFile(path));
  } catch (error) {
    // Whatever keeps it from being read, it is compiled again.
    if (isFileError(error) || error instanceof SyntaxError) return null;
    throw error;
  }
}

function parseTable(bytes: Uint8Array<ArrayBuffer>): TableImage<unknown> | null {
  if (bytes.length < HEADER_START + DIGEST_BYTES) return null;
  if (new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) !== MAGIC) return null;
  const end = bytes.length - DIGEST_BYTES;
  const digest = createHash("sha256").update(bytes.subarray(0, end)).digest();
  if (!digest.equals(bytes.subarray(end))) return null;
  const length = new DataView(bytes.buffer).getUint32(MAGIC.length, true);
  if (length > MAX_HEADER_BYTES || HEADER_START + length > end) return null;
  const text = new TextDecoder().decode(bytes.subarray(HEADER_START, HEADER_START + length));
  const header: Header = JSON.parse(text);
  const columns: Record<string, Columns[string]> = {};
  let at = aligned(HEADER_START + length);
  for (const { name, type, length } of header.columns) {
    const Column = TYPES[type];
    columns[name] = new Column(bytes.buffer, at, length);
    at += aligned(length * Column.BYTES_PER_ELEMENT);
  }
  return at === end ? { facts: header.facts, columns } : null;
}
