import { LIBNFTABLES_PATHS } from "../../core/process/machine_paths.ts";
import { isAbsent, type Nft, refused } from "./nftables.ts";

/** Output flags of nftables/libnftables.h, NFT_CTX_OUTPUT_…: no counters' values. */
const STATELESS = 1 << 2;
/** Priorities as numbers. */
const NUMERIC_PRIORITY = 1 << 8;
/** Without the elements of sets. */
const TERSE = 1 << 11;
/** Milliseconds between two returns of free memory to the system, each of which takes some itself. */
const TRIM_INTERVAL_MS = 5000;
/** Characters of an error that are passed on. */
const MAX_ERROR_LENGTH = 2000;

const SYMBOLS = {
  nft_ctx_new: { parameters: ["u32"], result: "pointer" },
  nft_ctx_free: { parameters: ["pointer"], result: "void" },
  nft_ctx_buffer_output: { parameters: ["pointer"], result: "i32" },
  nft_ctx_buffer_error: { parameters: ["pointer"], result: "i32" },
  nft_ctx_get_output_buffer: { parameters: ["pointer"], result: "pointer" },
  nft_ctx_get_error_buffer: { parameters: ["pointer"], result: "pointer" },
  nft_ctx_output_set_flags: { parameters: ["pointer", "u32"], result: "void" },
  nft_ctx_set_dry_run: { parameters: ["pointer", "bool"], result: "void" },
  // Of the C library, which nftables loads: reading its memory by Deno's own view would need the
  // permission for every library.
  strlen: { parameters: ["pointer"], result: "usize" },
  memcpy: { parameters: ["buffer", "pointer", "usize"], result: "pointer" },
  nft_run_cmd_from_buffer: { parameters: ["pointer", "buffer"], result: "i32", nonblocking: true },
  // Of glibc, see malloc_trim(3).
  malloc_trim: { parameters: ["usize"], result: "i32", nonblocking: true, optional: true },
} as const;

type Library = Deno.DynamicLibrary<typeof SYMBOLS>;

/** nftables in this process; null where the library is absent or may not be loaded. */
export function openLibrary(): Nft | null {
  for (const path of LIBNFTABLES_PATHS) {
    let library: Library;
    try {
      library = Deno.dlopen(path, SYMBOLS);
    } catch {
      continue;
    }
    const context = library.symbols.nft_ctx_new(0);
    if (context !== null) return new LibraryNft(library, context);
    library.close();
  }
  return null;
}

interface Call {
  readonly script: string;
  readonly dryRun?: boolean;
  readonly flags?: number;
}

/** One context for all calls, which run one after the other off the event loop. */
class LibraryNft implements Nft {
  readonly backend = "library";
  readonly #library: Library;
  readonly #context: Deno.PointerObject;
  #last: Promise<unknown> = Promise.resolve();
  #trimmed = -Infinity;

  constructor(library: Library, context: Deno.PointerObject) {
    this.#library = library;
    this.#context = context;
    // Without buffers the library would print to this process's own outputs.
    library.symbols.nft_ctx_buffer_output(context);
    library.symbols.nft_ctx_buffer_error(context);
  }

  async run(script: string): Promise<void> {
    const result = await this.#call({ script });
    if (!result.ok) throw refused(result.text);
  }

  async check(script: string): Promise<string | null> {
    const result = await this.#call({ script, dryRun: true });
    return result.ok ? null : result.text;
  }

  async outline(): Promise<string> {
    const result = await this.#call({ script: "list ruleset", flags: TERSE });
    if (!result.ok) throw refused(result.text);
    return result.text;
  }

  async list(
    what: readonly string[],
    options: { readonly terse?: boolean } = {},
  ): Promise<string | null> {
    const flags = STATELESS | NUMERIC_PRIORITY | (options.terse ? TERSE : 0);
    return await this.#list(what, flags);
  }

  counted(family: string, table: string): Promise<string | null> {
    return this.#list(["table", family, table], 0);
  }

  async #list(what: readonly string[], flags: number): Promise<string | null> {
    const result = await this.#call({ script: `list ${what.join(" ")}`, flags });
    if (result.ok) return result.text;
    if (isAbsent(result.text)) return null;
    throw refused(result.text);
  }

  async close(): Promise<void> {
    await this.#last;
    this.#library.symbols.nft_ctx_free(this.#context);
    this.#library.close();
  }

  #call(call: Call): Promise<{ readonly ok: boolean; readonly text: string }> {
    const next = this.#last.then(() => this.#now(call));
    this.#last = next.catch(() => {});
    return next;
  }

  async #now(call: Call): Promise<{ readonly ok: boolean; readonly text: string }> {
    const { symbols } = this.#library;
    symbols.nft_ctx_output_set_flags(this.#context, call.flags ?? 0);
    symbols.nft_ctx_set_dry_run(this.#context, call.dryRun ?? false);
    const text = new TextEncoder().encode(`${call.script}\0`);
    const status = await symbols.nft_run_cmd_from_buffer(this.#context, text);
    const output = this.#text(symbols.nft_ctx_get_output_buffer(this.#context));
    const error = this.#text(symbols.nft_ctx_get_error_buffer(this.#context));
    await this.#trim();
    if (status === 0) return { ok: true, text: output };
    return { ok: false, text: error.trim().slice(0, MAX_ERROR_LENGTH) || `status ${status}` };
  }

  /** Every call reads sets whole, in threads with a heap each: what they freed goes back to the system. */
  async #trim(): Promise<void> {
    const now = performance.now();
    if (now - this.#trimmed < TRIM_INTERVAL_MS) return;
    this.#trimmed = now;
    await this.#library.symbols.malloc_trim?.(0n);
  }

  #text(pointer: Deno.PointerValue): string {
    if (pointer === null) return "";
    const { symbols } = this.#library;
    const bytes = new Uint8Array(Number(symbols.strlen(pointer)));
    if (bytes.length > 0) symbols.memcpy(bytes, pointer, BigInt(bytes.length));
    return new TextDecoder().decode(bytes);
  }
}
