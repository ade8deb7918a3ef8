import { join } from "node:path";
import { printable } from "../log/log.ts";
import { parseLogLine } from "./child_lines.ts";

/** Event of the api where it saved the setup code to a file, because its standard error is a pipe. */
const SECRET_SAVED = "access.setup_code_saved";
/** Bytes of such a file. */
const MAX_BYTES = 4096;

/**
 * What the file says that a line of the api names, for the terminal alone: it is in no log. "" for any
 * other line. Only a short file of our own state is read, and nothing of it acts on the terminal: a
 * process with fewer rights than the launcher could name any file.
 */
export function savedSecret(
  line: string,
  source: { readonly process: string; readonly home: string },
): string {
  if (source.process !== "api" || !line.includes(SECRET_SAVED)) return "";
  const record = parseLogLine(line);
  const path = join(source.home, "state/first-start.txt");
  if (record?.event !== SECRET_SAVED || record["path"] !== path) return "";
  try {
    const { isFile, size } = Deno.lstatSync(path);
    if (!isFile || size > MAX_BYTES) return "";
    return Deno.readTextFileSync(path).split("\n").map(printable).join("\n");
  } catch {
    return "";
  }
}
