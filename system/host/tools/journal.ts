import { Problem } from "../../core/errors/problem.ts";
import { JOURNAL_SOCKET } from "../../core/process/machine_paths.ts";
import { spawnTool } from "./run.ts";

/** Fields that are asked for; a record may hold many more. */
const FIELDS = [
  "MESSAGE",
  "PRIORITY",
  "CONTAINER_NAME",
  "SYSLOG_IDENTIFIER",
  "_COMM",
  "_SYSTEMD_UNIT",
  "UNIT",
  "_TRANSPORT",
];
/** How the tool is run. */
export interface JournalOptions {
  /** Starts it; a test may start another program. */
  readonly spawn?: (options: Deno.CommandOptions) => Deno.ChildProcess;
  /** Seconds that one reading may take; default 10. */
  readonly seconds?: number;
}

const PATIENCE = 10;
/** Characters of one record; a longer one is left out. */
const RECORD_LIMIT = 1024 * 1024;
const WORDS = 500;

/** True where this machine keeps a journal. */
export async function hasJournal(socket: string = JOURNAL_SOCKET): Promise<boolean> {
  try {
    await Deno.stat(socket);
    return true;
  } catch {
    // Not there, or not for us to see: our own files are read then.
    return false;
  }
}

/**
 * Records of the journal before a moment (microseconds), newest first, as the parsed JSON of
 * `journalctl`. Ends the tool when the reader stops. Throws Problem 502 when it fails or hangs, 503
 * when it is missing.
 */
export async function* journalRecords(
  before: number | null,
  options: JournalOptions = {},
): AsyncGenerator<unknown> {
  const { spawn = (how) => spawnTool("journalctl", how), seconds = PATIENCE } = options;
  const child = spawn({
    args: [
      "--output=json",
      // Without it a field of more than 4096 bytes is null.
      "--all",
      `--output-fields=${FIELDS.join(",")}`,
      "--reverse",
      "--no-pager",
      "--quiet",
      // The reader drops what is not before the moment within this second.
      ...(before === null ? [] : [`--until=@${Math.ceil(before / 1e6)}`]),
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    end(child);
  }, seconds * 1000);
  const complaint = words(child.stderr);
  let finished = false;
  try {
    yield* records(child.stdout);
    const { success, code } = await child.status;
    finished = true;
    if (late) throw new Problem(502, `journalctl did not end within ${seconds} seconds`);
    if (!success) {
      const said = (await complaint).trim() || `ended with status ${code}`;
      throw new Problem(502, `journalctl: ${said}`);
    }
  } finally {
    clearTimeout(timer);
    if (!finished) end(child);
    await Promise.all([child.status, complaint]);
  }
}

async function* records(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<unknown> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let skipping = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (!skipping) yield* record(line);
        skipping = false;
      }
      if (rest.length > RECORD_LIMIT) {
        skipping = true;
        rest = "";
      }
    }
    if (!skipping) yield* record(rest);
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Nothing for what is no JSON: one bad record hides no other. */
function* record(line: string): Generator<unknown> {
  if (line === "") return;
  try {
    yield JSON.parse(line);
  } catch {
    return;
  }
}

async function words(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let text = "";
  for await (const more of stream.pipeThrough(new TextDecoderStream())) {
    if (text.length < WORDS) text += more;
  }
  return text.slice(0, WORDS);
}

function end(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It ended by itself.
  }
}
