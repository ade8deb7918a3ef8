import { z } from "zod";
import { Problem } from "../../core/errors/problem.ts";
import type { ContainerAct } from "../../core/machine/container_schema.ts";
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

/** What Compose writes down of a container: the files that it was made of, joined by commas. */
const Composed = z.array(z.object({
  Id: z.string().regex(/^[0-9a-f]{12,64}$/),
  Labels: z.record(z.string(), z.string()).nullish(),
}));
const FILES_LABEL = "com.docker.compose.project.config_files";
/** Seconds that a container gets to end by itself, and milliseconds that the engine may take. */
const STOP_SECONDS = 5, ACT_TIMEOUT_MS = 15_000;

/**
 * Starts, stops or restarts the containers that Compose made of a file, named by the end of its path.
 * Returns how many there are; null where there is no engine. Throws Problem 502.
 */
export async function actOnContainers(
  act: ContainerAct,
  composeFile: string,
  { socket = DOCKER_SOCKET, timeoutMs = ACT_TIMEOUT_MS }: DockerOptions = {},
): Promise<number | null> {
  const known = await readDocker("containers", { socket });
  if (known === null) return null;
  const { success, data } = Composed.safeParse(known);
  if (!success) throw new Problem(502, "The container engine listed no containers");
  const found = data.filter(({ Labels }) =>
    (Labels?.[FILES_LABEL] ?? "").split(",").some((path) => path.endsWith(`/${composeFile}`))
  );
  const query = act === "start" ? "" : `?t=${STOP_SECONDS}`;
  await Promise.all(
    found.map(({ Id }) => ask(`POST /containers/${Id}/${act}${query}`, { socket, timeoutMs })),
  );
  return found.length;
}

/** One request to the engine; null where there is none, or where it responds with nothing. */
async function ask(
  line: string,
  { socket, timeoutMs }: Required<DockerOptions>,
): Promise<unknown> {
  const connection = await connect(socket);
  if (connection === null) return null;
  // HTTP/1.0: the response is not chunked and ends with the connection.
  const request =
    `${line} HTTP/1.0\r\nHost: docker\r\nAccept: application/json\r\nContent-Length: 0\r\n\r\n`;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    close(connection);
  }, timeoutMs);
  try {
    await connection.write(new TextEncoder().encode(request));
    return parseResponse(await readAll(connection));
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
    // It is not installed, not running, or not accessible.
    const none = [
      ...[Deno.errors.NotFound, Deno.errors.ConnectionRefused],
      ...[Deno.errors.PermissionDenied, Deno.errors.NotCapable, Deno.errors.NotADirectory],
    ];
    if (none.some((kind) => error instanceof kind)) return null;
    throw new Problem(502, "Could not connect to the container engine", { cause: error });
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
    if (size > MAX_RESPONSE_BYTES) {
      throw new Problem(502, "The container engine says more than fits");
    }
    text += decoder.decode(piece.subarray(0, length), { stream: true });
  }
}

function parseResponse(text: string): unknown {
  const end = text.indexOf("\r\n\r\n");
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1];
  if (end < 0 || status === undefined) {
    throw new Problem(502, "The container engine answered no HTTP");
  }
  // 304: it is started or stopped already.
  if (status === "204" || status === "304") return null;
  if (status !== "200") {
    throw new Problem(
      502,
      `The container engine answered ${status}${reasonIn(text.slice(end + 4))}`,
    );
  }
  try {
    return JSON.parse(text.slice(end + 4));
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
