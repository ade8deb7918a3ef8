import { Problem } from "../../core/errors/problem.ts";

/** How root is asked. */
export interface AskRootOptions {
  /** What it is asked for, as the begin of a sentence about its failure. */
  readonly what: string;
  /** Seconds that it may take; default 10. */
  readonly seconds?: number;
}

/** Characters of the answer that are kept. */
const MAX_ANSWER_LENGTH = 2000;

/**
 * Has root do the one thing that a socket of systemd stands for, and waits until it is done. Answers
 * false where there is no such socket for this process. Throws Problem 502 with root's own words, or
 * when it takes too long.
 */
export async function askRoot(path: string, options: AskRootOptions): Promise<boolean> {
  const words = await toldByRoot(path, options);
  if (words !== null && words !== "") throw new Problem(502, `${options.what}: ${words}`);
  return words !== null;
}

/** What is said on a socket of systemd, as {@link askRoot} asks; null where there is no such socket. */
export async function toldByRoot(path: string, options: AskRootOptions): Promise<string | null> {
  const { what, seconds = 10 } = options;
  using connection = await connected(path);
  if (connection === null) return null;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    connection.close();
  }, seconds * 1000);
  const words = await said(connection).finally(() => clearTimeout(timer));
  if (late) throw new Problem(502, `${what} did not end within ${seconds} seconds`);
  return words;
}

async function connected(path: string): Promise<Deno.UnixConn | null> {
  try {
    return await Deno.connect({ transport: "unix", path });
  } catch {
    // Not there, not listened to, or not for this process to enter.
    return null;
  }
}

/** What comes until the other side has ended. */
async function said(connection: Deno.UnixConn): Promise<string> {
  const decoder = new TextDecoder();
  const piece = new Uint8Array(1024);
  let text = "";
  try {
    for (;;) {
      const length = await connection.read(piece);
      if (length === null) break;
      if (text.length < MAX_ANSWER_LENGTH) {
        text += decoder.decode(piece.subarray(0, length), { stream: true });
      }
    }
  } catch {
    // It was closed, by us or by a reset.
  }
  return text.trim().slice(0, MAX_ANSWER_LENGTH);
}
