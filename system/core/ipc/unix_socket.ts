import { Refusal } from "../errors/refusal.ts";
import {
  type ListenerWatch,
  UNWATCHED,
  type WatchedServer,
  watchServer,
} from "./watched_server.ts";

/** A header that every request to a plugin has, and none to a process of ours. */
export const PROXIED_HEADER = "sluice-plugin";

/**
 * Serves HTTP on a unix socket that its folder's group may use (0660), and listens again when that
 * ends by itself. A file left behind by a crash is removed, but only after a connect to it was refused:
 * a living server keeps its socket.
 */
export async function serveUnix(
  path: string,
  handler: (request: Request) => Response | Promise<Response>,
  watch: ListenerWatch = UNWATCHED,
): Promise<WatchedServer> {
  return await watchServer(path, async () => {
    await removeStale(path);
    // Born with its mode: between listen and a later chmod anyone could connect.
    const mask = Deno.umask(0o117);
    try {
      return Deno.serve(
        { path, onListen: () => {} },
        (request) =>
          request.headers.has(PROXIED_HEADER)
            // What was meant for a plugin and was led here.
            ? new Response(null, { status: 421 })
            : handler(request),
      );
    } finally {
      Deno.umask(mask);
    }
  }, watch);
}

/** As {@link serveUnix}, for a protocol of its own. */
export async function listenUnix(path: string): Promise<Deno.UnixListener> {
  await removeStale(path);
  const mask = Deno.umask(0o117);
  try {
    return Deno.listen({ transport: "unix", path });
  } finally {
    Deno.umask(mask);
  }
}

async function removeStale(path: string): Promise<void> {
  try {
    const connection = await Deno.connect({ transport: "unix", path });
    connection.close();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
    await Deno.remove(path);
    return;
  }
  throw new Refusal(`Another process answers on ${path}. Stop it first`);
}
