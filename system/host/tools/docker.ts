import { Problem } from "../../core/errors/problem.ts";
import { DOCKER_SOCKET } from "../../core/process/machine_paths.ts";

/** Milliseconds within which the engine must have answered. */
const PATIENCE = 5000;
/** Most bytes of an answer. */
const MOST = 8 * 1024 * 1024;

/** What is read of the engine (Docker Engine API 1.24 and later); nothing else is ever asked. */
const READS = { containers: "/containers/json?all=1", networks: "/networks" } as const;

/** Where the engine listens, and how long it is waited for. */
export interface DockerOptions {
  readonly socket?: string;
  /** Milliseconds. */
  readonly patience?: number;
}

/**
 * Reads one list of the container engine; null where there is none, or none that this process may ask.
 * Throws Problem 502 with the engine's words, or when it does not answer in time.
 */
export async function readDocker(
  what: keyof typeof READS,
  { socket = DOCKER_SOCKET, patience = PATIENCE }: DockerOptions = {},
): Promise<unknown> {
  const connection = await connect(socket);
  if (connection === null) return null;
  // HTTP/1.0: the answer comes in one piece and ends with the connection.
  const question = `GET ${
    READS[what]
  } HTTP/1.0\r\nHost: docker\r\nAccept: application/json\r\n\r\n`;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    close(connection);
  }, patience);
  try {
    await connection.write(new TextEncoder().encode(question));
    return answerOf(await readAll(connection));
  } catch (error) {
    if (late) throw new Problem(502, "The container engine does not answer", { cause: error });
    if (error instanceof Problem) throw error;
    throw new Problem(502, "The container engine broke off", { cause: error });
  } finally {
    clearTimeout(timer);
    close(connection);
  }
}

async function connect(path: string): Promise<Deno.UnixConn | null> {
  try {
    return await Deno.connect({ transport: "unix", path });
  } catch (error) {
    // It is not installed, does not run, or is none of our business.
    const none = [
      ...[Deno.errors.NotFound, Deno.errors.ConnectionRefused],
      ...[Deno.errors.PermissionDenied, Deno.errors.NotCapable, Deno.errors.NotADirectory],
    ];
    if (none.some((kind) => error instanceof kind)) return null;
    throw new Problem(502, "The container engine could not be asked", { cause: error });
  }
}

async function readAll(connection: Deno.UnixConn): Promise<string> {
  const decoder = new TextDecoder();
  const piece = new Uint8Array(65_536);
  let text = "";
  for (let size = 0;;) {
    const length = await connection.read(piece);
    if (length === null) return text + decoder.decode();
    size += length;
    if (size > MOST) throw new Problem(502, "The container engine says more than fits");
    text += decoder.decode(piece.subarray(0, length), { stream: true });
  }
}

function answerOf(text: string): unknown {
  const end = text.indexOf("\r\n\r\n");
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1];
  if (end < 0 || status === undefined) {
    throw new Problem(502, "The container engine answered no HTTP");
  }
  if (status !== "200") throw new Problem(502, `The container engine answered ${status}`);
  try {
    return JSON.parse(text.slice(end + 4));
  } catch (error) {
    throw new Problem(502, "The container engine answered no JSON", { cause: error });
  }
}

function close(connection: Deno.UnixConn): void {
  try {
    connection.close();
  } catch {
    // It is closed already.
  }
}
