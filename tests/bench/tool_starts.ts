import { fileURLToPath } from "node:url";
import { LabProcess, must } from "../kit/lab/command.ts";

/** A small process that starts tools on request, so that a baseline is what starting one costs. */
export interface ToolStarter extends AsyncDisposable {
  /** Where {@link ToolStarts} of any process finds it. */
  readonly folder: string;
}

/** Starts it in a network namespace, or in this process's own. */
export async function toolStarter(namespace?: string): Promise<ToolStarter> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-bench-tools-" });
  await must("mkfifo", [`${folder}/request`, `${folder}/answer`]);
  const script = fileURLToPath(new URL("tool_starts.sh", import.meta.url));
  const bash = ["bash", script, folder];
  const process = namespace === undefined
    ? new LabProcess("bash", bash.slice(1))
    : new LabProcess("ip", ["netns", "exec", namespace, ...bash]);
  await process.line(/^ready$/);
  return {
    folder,
    [Symbol.asyncDispose]: async () => {
      await process.stop("SIGKILL");
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** The pipes of a {@link ToolStarter}. */
export class ToolStarts implements Disposable {
  readonly #folder: string;
  readonly #request: Deno.FsFile;
  readonly #answer: Deno.FsFile;

  constructor(folder: string) {
    this.#folder = folder;
    // Opened both ways, neither end waits for the other.
    this.#request = Deno.openSync(`${folder}/request`, { read: true, write: true });
    this.#answer = Deno.openSync(`${folder}/answer`, { read: true, write: true });
  }

  /** Starts a tool and answers the milliseconds until it ended. Throws with its words where it fails. */
  async start(words: readonly string[]): Promise<number> {
    this.#request.writeSync(new TextEncoder().encode(`${words.join("\t")}\n`));
    const buffer = new Uint8Array(64);
    let text = "";
    while (!text.endsWith("\n")) {
      const read = await this.#answer.read(buffer) ?? 0;
      text += new TextDecoder().decode(buffer.subarray(0, read));
    }
    const [microseconds, status] = text.trim().split(" ").map(Number);
    if (status === 0) return microseconds! / 1000;
    throw new Error(`${words.join(" ")}: ${await Deno.readTextFile(`${this.#folder}/error`)}`);
  }

  [Symbol.dispose](): void {
    this.#request.close();
    this.#answer.close();
  }
}
