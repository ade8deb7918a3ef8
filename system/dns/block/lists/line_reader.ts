import { createAnew } from "../../../core/config/files.ts";

/** Maximum line length that is buffered; the rest of a longer line is dropped. */
const MAX_LINE_LENGTH = 8192;

/** The lines of a file of any size, without their ends, in batches. */
export async function* readLines(path: string): AsyncGenerator<readonly string[]> {
  using file = await Deno.open(path);
  const chunk = new Uint8Array(1 << 18);
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const size = await file.read(chunk);
    const text = rest + decoder.decode(chunk.subarray(0, size ?? 0), { stream: size !== null });
    const lines = text.split("\n");
    rest = (lines.pop() ?? "").slice(0, MAX_LINE_LENGTH);
    yield lines;
    if (size === null) break;
  }
  if (rest !== "") yield [rest];
}

/** Writes lines to a file in batches, created anew by {@link LineWriter.open}. */
export class LineWriter implements Disposable {
  readonly #file: Deno.FsFile;
  readonly #encoder = new TextEncoder();
  #lines: string[] = [];

  private constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  static async open(path: string): Promise<LineWriter> {
    return new LineWriter(await createAnew(path));
  }

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length >= 8192) this.flush();
  }

  flush(): void {
    if (this.#lines.length === 0) return;
    const bytes = this.#encoder.encode(`${this.#lines.join("\n")}\n`);
    for (let done = 0; done < bytes.length;) done += this.#file.writeSync(bytes.subarray(done));
    this.#lines = [];
  }

  /** Flushes everything to disk. */
  sync(): void {
    this.flush();
    this.#file.syncSync();
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}
