import { join } from "node:path";
import { writeDurably } from "../../core/config/files.ts";
import type { EventStore } from "../store/event_store.ts";
import { HistoryRelay } from "./history_relay.ts";
import { HistoryServer, type ServerAddress } from "./history_server.ts";
import type { HistoryServerState } from "./state_schema.ts";

/** The history on a server, and what sends it there. */
export interface OpenedServer {
  /** Searches the server. */
  readonly items: HistoryServer["items"];
  /** What waits for the server, and what went wrong. */
  state(): Promise<HistoryServerState>;
  close(): Promise<void>;
}

/**
 * The address of the server with this router's id, made at the first use and kept, and with the token:
 * that of the environment, else the one in `state/api/database_token`.
 */
export async function serverAddress(
  home: string,
  { url, token }: { readonly url: string; readonly token: string | null },
): Promise<ServerAddress> {
  return {
    url,
    token: token ?? await readToken(join(home, "state/api/database_token")),
    router: await routerId(join(home, "state/api/router_id")),
  };
}

/** Begins to send the event store to the server. `failed`: for the log; the token is never in it. */
export function openServer(
  address: ServerAddress,
  store: Pick<EventStore, "ask">,
  failed: (detail: string) => void,
): OpenedServer {
  const server = new HistoryServer(address);
  const { url, token } = address;
  const hidden = (detail: string): string =>
    token === null ? detail : detail.replaceAll(token, "(hidden)");
  const relay = new HistoryRelay({
    ...{ store, server, name: url },
    failed: (detail) => failed(hidden(detail)),
  });
  return {
    items: server.items.bind(server),
    async state() {
      const { problem, ...times } = relay.state;
      const backlog = await store.ask({ type: "backlog", server: url });
      return { ...backlog, ...times, host: new URL(url).host, problem: hidden(problem) };
    },
    async close() {
      await relay.close();
      server.close();
    },
  };
}

async function readToken(path: string): Promise<string | null> {
  try {
    return (await Deno.readTextFile(path)).trim() || null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** An id that no other router has; a file that holds none is replaced. */
async function routerId(path: string): Promise<string> {
  const known = (await Deno.readTextFile(path).catch(() => "")).trim();
  if (/^[0-9a-f-]{36}$/.test(known)) return known;
  const id = crypto.randomUUID();
  await writeDurably(path, `${id}\n`, "next");
  return id;
}
