import { Problem } from "../../core/errors/problem.ts";
import { JOURNAL_SOCKET } from "../../core/process/machine_paths.ts";
import { signalChild } from "../../core/process/signal_child.ts";
import { spawnTool } from "./run.ts";

/** Requested fields; a record may have many more. */
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
  /** Default: starts the tool; a test may start another program. */
  readonly spawn?: (options: Deno.CommandOptions) => Deno.ChildProcess;
  /** Timeout; default 10. */
  readonly seconds?: number;
}

const READ_TIMEOUT_SECONDS = 10;
/** Characters of one record; a longer one is left out. */
const MAX_RECORD_LENGTH = 1024 * 1024;
const MAX_ERROR_LENGTH = 500;

/** True where this machine keeps a journal. */
export async function hasJournal(socket: string = JOURNAL_SOCKET): Promise<boolean> {
  try {
    await Deno.stat(socket);
    return true;
  } catch {
    // Absent or not accessible: the log files are read instead.
    return false;
  }
}

/**
 * Records of the journal before a moment (microseconds), newest first, as the parsed JSON of
 * `journalctl`. Kills the tool when the reader stops. Throws Problem 502 when it fails or hangs, 503
 * when it is missing.
 */
export async function* journalRecords(
  before: number | null,
  options: JournalOptions = {},
): AsyncGenerator<unknown> {
  const { spawn = (how) => spawnTool("journalctl", how), seconds = READ_TIMEOUT_SECONDS } = options;
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
    signalChild(child, "SIGKILL");
  }, seconds * 1000);
  const errorOutput = readError(child.stderr);
  let finished = false;
  try {
    yield* records(child.stdout);
    const { success, code } = await child.status;
    finished = true;
    if (late) throw new Problem(502, `journalctl did not end within ${seconds} seconds`);
    if (!success) {
      const message = (await errorOutput).trim() || `ended with status ${code}`;
      throw new Problem(502, `journalctl: ${message}`);
    }
  } finally {
    clearTimeout(timer);
    if (!finished) signalChild(child, "SIGKILL");
    await Promise.all([child.status, errorOutput]);
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
      if (rest.length > MAX_RECORD_LENGTH) {
        skipping = true;
        rest = "";
      }
    }
    if (!skipping) yield* record(rest);
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Skips invalid JSON: one bad record hides no other. */
function* record(line: string): Generator<unknown> {
  if (line === "") return;
  try {
    yield JSON.parse(line);
  } catch {
    return;
  }
}

async function readError(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let text = "";
  for await (const more of stream.pipeThrough(new TextDecoderStream())) {
    if (text.length < MAX_ERROR_LENGTH) text += more;
  }
  return text.slice(0, MAX_ERROR_LENGTH);
}
