import { Problem } from "../../core/errors/problem.ts";

/** Options of {@link callRootSocket}. */
export interface RootSocketOptions {
  /** The action, as the start of an error message. */
  readonly what: string;
  /** Timeout; default 10. */
  readonly seconds?: number;
  /** Written to the action; default nothing. */
  readonly input?: string;
}

/** Longer output is truncated. */
const MAX_OUTPUT_LENGTH = 2000;

/**
 * Runs the action of a systemd socket unit as root, and waits until it is done. False where this
 * process has no such socket. Throws Problem 502 with the action's output, or on a timeout.
 */
export async function callRootSocket(path: string, options: RootSocketOptions): Promise<boolean> {
  const output = await readRootSocket(path, options);
  if (output !== null && output !== "") throw new Problem(502, `${options.what}: ${output}`);
  return output !== null;
}

/** The output of a systemd socket unit's action; null where there is no such socket. */
export async function readRootSocket(
  path: string,
  options: RootSocketOptions,
): Promise<string | null> {
  const { what, seconds = 10 } = options;
  using connection = await connect(path);
  if (connection === null) return null;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    connection.close();
  }, seconds * 1000);
  const exchange = async (): Promise<string> => {
    if (options.input !== undefined) {
      await connection.write(new TextEncoder().encode(options.input)).catch(() => {});
      await connection.closeWrite().catch(() => {});
    }
    return await readAll(connection);
  };
  const output = await exchange().finally(() => clearTimeout(timer));
  if (late) throw new Problem(502, `${what} did not end within ${seconds} seconds`);
  return output;
}

async function connect(path: string): Promise<Deno.UnixConn | null> {
  try {
    return await Deno.connect({ transport: "unix", path });
  } catch {
    // Missing, not listened to, or not accessible.
    return null;
  }
}

/** Reads until the other side closes. */
async function readAll(connection: Deno.UnixConn): Promise<string> {
  const decoder = new TextDecoder();
  const piece = new Uint8Array(1024);
  let text = "";
  try {
    for (;;) {
      const length = await connection.read(piece);
      if (length === null) break;
      if (text.length < MAX_OUTPUT_LENGTH) {
        text += decoder.decode(piece.subarray(0, length), { stream: true });
      }
    }
  } catch {
    // Closed, by us or by a reset.
  }
  return text.trim().slice(0, MAX_OUTPUT_LENGTH);
}
