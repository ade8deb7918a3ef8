import { Problem } from "../../core/errors/problem.ts";
import { DOCKER_SOCKET } from "../../core/process/machine_paths.ts";

const REQUEST_TIMEOUT_MS = 5000;
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

/** The only lists of the engine that are read (Docker Engine API 1.24 and later). */
const PATHS = { containers: "/containers/json?all=1", networks: "/networks" } as const;

/** Options of a request to the engine. */
export interface DockerOptions {
  readonly socket?: string;
  /** Milliseconds. */
  readonly timeoutMs?: number;
}

/**
 * Reads one list of the container engine; null where there is none, or no access to it. Throws Problem
 * 502 for an error of the engine, or when it does not respond in time.
 */
export async function readDocker(
  what: keyof typeof PATHS,
  { socket = DOCKER_SOCKET, timeoutMs = REQUEST_TIMEOUT_MS }: DockerOptions = {},
): Promise<unknown> {
  return await ask(`GET ${PATHS[what]}`, { socket, timeoutMs });
}

/** What a request to the engine may carry, and how its answer is read. */
export interface EngineRequest {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer is one line of JSON after another, of which those about errors are kept. */
  readonly isStream?: boolean;
}

/** The answer of the engine. */
export interface EngineAnswer {
  readonly status: number;
  readonly text: string;
}

/** One request to the engine; null where there is none, or where it responds with nothing. */
async function ask(line: string, options: Required<DockerOptions>): Promise<unknown> {
  const answer = await askEngine(line, options);
  return answer === null ? null : engineValue(answer);
}

/**
 * One request to the engine, `GET /networks`; null where there is no engine. Throws Problem 502 where it
 * does not respond as an engine does.
 */
export async function askEngine(
  line: string,
  { socket, timeoutMs }: Required<DockerOptions>,
  { body, headers = {}, isStream = false }: EngineRequest = {},
): Promise<EngineAnswer | null> {
  const connection = await connect(socket);
  if (connection === null) return null;
  const sent = new TextEncoder().encode(body === undefined ? "" : JSON.stringify(body));
  // HTTP/1.0: the response is not chunked and ends with the connection.
  const head = [
    `${line} HTTP/1.0`,
    ...["Host: docker", "Accept: application/json", `Content-Length: ${sent.length}`],
    ...(body === undefined ? [] : ["Content-Type: application/json"]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ].join("\r\n");
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    close(connection);
  }, timeoutMs);
  try {
    await writeAll(connection, new TextEncoder().encode(`${head}\r\n\r\n`));
    await writeAll(connection, sent);
    return parseAnswer(await readAll(connection, isStream));
  } catch (error) {
    if (late) throw new Problem(502, "The container engine does not answer", { cause: error });
    if (error instanceof Problem) throw error;
    throw new Problem(502, "The container engine ended the connection early", { cause: error });
  } finally {
    clearTimeout(timer);
    close(connection);
  }
}

async function writeAll(connection: Deno.UnixConn, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) done += await connection.write(bytes.subarray(done));
}

async function connect(path: string): Promise<Deno.UnixConn | null> {
  try {
    return await Deno.connect({ transport: "unix", path });
  } catch (error) {
    // It is not installed, not running, or not accessible.
    const none = [
      ...[Deno.errors.NotFound, Deno.errors.ConnectionRefused],
      ...[Deno.errors.PermissionDenied, Deno.errors.NotCapable, Deno.errors.NotADirectory],
    ];
    if (none.some((kind) => error instanceof kind)) return null;
    throw new Problem(502, "Could not connect to the container engine", { cause: error });
  }
}

async function readAll(connection: Deno.UnixConn, isStream: boolean): Promise<string> {
  const decoder = new TextDecoder();
  const piece = new Uint8Array(65_536);
  let text = "";
  for (let size = 0;;) {
    const length = await connection.read(piece);
    if (length === null) return text + decoder.decode();
    text += decoder.decode(piece.subarray(0, length), { stream: true });
    size = isStream ? text.length : size + length;
    if (isStream) text = withoutProgress(text);
    if (size > MAX_RESPONSE_BYTES) {
      throw new Problem(502, "The container engine says more than fits");
    }
  }
}

/** The head of an answer, its lines about errors, and the line that is not whole yet. */
function withoutProgress(text: string): string {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return text;
  const lines = text.slice(end + 4).split("\n"), last = lines.pop()!;
  const kept = lines.filter((line) => line.includes('"error"')).map((line) => `${line}\n`);
  return text.slice(0, end + 4) + kept.join("") + last;
}

function parseAnswer(text: string): EngineAnswer {
  const end = text.indexOf("\r\n\r\n");
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1];
  if (end < 0 || status === undefined) {
    throw new Problem(502, "The container engine answered no HTTP");
  }
  return { status: Number(status), text: text.slice(end + 4) };
}

/** What a good answer says; null for nothing. Throws Problem 502 for any other. */
export function engineValue({ status, text }: EngineAnswer): unknown {
  // 304: it is started or stopped already.
  if (status === 204 || status === 304) return null;
  if (status !== 200 && status !== 201) {
    throw new Problem(502, `The container engine answered ${status}${reasonIn(text)}`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem(502, "The container engine answered no JSON", { cause: error });
  }
}

/** Why the engine refused, in its own words. */
function reasonIn(body: string): string {
  try {
    const { message } = JSON.parse(body) as { readonly message?: unknown };
    return typeof message === "string" ? `: ${message.slice(0, 500)}` : "";
  } catch {
    return "";
  }
}

function close(connection: Deno.UnixConn): void {
  try {
    connection.close();
  } catch {
    // It is closed already.
  }
}
