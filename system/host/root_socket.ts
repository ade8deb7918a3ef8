import { Problem } from "../core/problem.ts";

/** How root is asked. */
export interface AskRootOptions {
  /** What it is asked for, as the begin of a sentence about its failure. */
  readonly what: string;
  /** Seconds that it may take; default 10. */
  readonly seconds?: number;
}

const MOST_WORDS = 2000;

/**
 * Has root do the one thing that a socket of systemd stands for, and waits until it is done. Answers
 * false where there is no such socket for this process. Throws Problem 502 with root's own words, or
 * when it takes too long.
 */
export async function askRoot(path: string, options: AskRootOptions): Promise<boolean> {
  const { what, seconds = 10 } = options;
  using connection = await connected(path);
  if (connection === null) return false;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    connection.close();
  }, seconds * 1000);
  const words = await said(connection).finally(() => clearTimeout(timer));
  if (late) throw new Problem(502, `${what} did not end within ${seconds} seconds`);
  if (words !== "") throw new Problem(502, `${what}: ${words}`);
  return true;
}

async function connected(path: string): Promise<Deno.UnixConn | null> {
  try {
    return await Deno.connect({ transport: "unix", path });
  } catch {
    // Not there, not listened to, or not for this process to enter.
    return null;
  }
}

/** What comes until the other side has ended; nothing is said of what went well. */
async function said(connection: Deno.UnixConn): Promise<string> {
  const decoder = new TextDecoder();
  const piece = new Uint8Array(1024);
  let text = "";
  try {
    for (;;) {
      const length = await connection.read(piece);
      if (length === null) break;
      if (text.length < MOST_WORDS) text += decoder.decode(piece.subarray(0, length));
    }
  } catch {
    // It was closed, by us or by a reset.
  }
  return text.trim().slice(0, MOST_WORDS);
}
