import type { Config } from "../config.ts";
import { Problem } from "../core/errors/problem.ts";
import type { Plugin } from "./schema.ts";
import { type PathKind, socketPlace } from "./socket_path.ts";

/** Connections to one plugin that are kept for the requests to come. */
const MAX_IDLE_CONNECTIONS = 32;
/** Requests of one plugin that have no answer yet; more are refused, so that it holds up no other. */
const MAX_WAITING = 128;

/** What {@link PluginChannels} needs. */
export interface PluginChannelsDeps {
  readonly home: string;
  readonly config: () => Pick<Config, "plugins">;
  /**
   * The path by which this process may connect to a socket; itself, where it may connect to any.
   * Throws Problem 503.
   */
  readonly connectable?: (name: string, path: string) => string;
}

/** The connection to a plugin. */
export interface PluginChannel {
  readonly plugin: Plugin;
  /** For what may be sent again: `fetch` does so where a kept connection ends without an answer. */
  readonly client: Deno.HttpClient;
  /** Without keep-alive, so that nothing is sent twice (RFC 9110 9.2.2). */
  readonly once: Deno.HttpClient;
  /** Aborted once the plugin is removed, turned off or moved. */
  readonly ended: AbortSignal;
  /** Counts a request that waits for its answer until the returned function is called. */
  waits(): () => void;
}

interface OpenChannel extends PluginChannel {
  readonly path: string;
  end(): void;
}

/** The connections to plugins by name; each is that of the entry as it stands. */
export class PluginChannels {
  readonly #deps: PluginChannelsDeps;
  readonly #open = new Map<string, OpenChannel>();

  constructor(deps: PluginChannelsDeps) {
    this.#deps = deps;
  }

  /** The plugins that are served. */
  served(): readonly Plugin[] {
    return servedPlugins(this.#deps.config());
  }

  /** The connection to a plugin, whose socket is looked at anew. Throws Problem 502, 503. */
  to(plugin: Plugin): PluginChannel {
    const place = socketPlace(plugin, this.#deps.home, kindOf);
    if ("fault" in place) throw away(plugin, place.fault);
    const path = this.#deps.connectable?.(plugin.Name, place.path) ?? place.path;
    const known = this.#open.get(plugin.Name);
    if (known !== undefined) {
      if (known.plugin === plugin && known.path === path) return known;
      known.end();
    }
    const opened = open(plugin, path);
    this.#open.set(plugin.Name, opened);
    return opened;
  }

  /** Why a plugin cannot be connected to; null where its socket is there. */
  fault(plugin: Plugin): string | null {
    const place = socketPlace(plugin, this.#deps.home, kindOf);
    return "fault" in place ? place.fault : null;
  }

  /** Ends what runs with plugins that are served no more, or otherwise than before. */
  sync(): void {
    const served = new Set(this.served());
    for (const [name, channel] of this.#open) {
      if (served.has(channel.plugin)) continue;
      channel.end();
      this.#open.delete(name);
    }
  }

  close(): void {
    for (const channel of this.#open.values()) channel.end();
    this.#open.clear();
  }
}

/** The plugins that are on and have an address and a socket. */
function servedPlugins({ plugins }: Pick<Config, "plugins">): readonly Plugin[] {
  return plugins.Plugins.filter(({ Enabled, URI, UnixPath }) =>
    Enabled && URI !== "" && UnixPath !== ""
  );
}

/** A plugin that does not respond, as callers are told. */
export function away({ Name }: Pick<Plugin, "Name">, why: string): Problem {
  return new Problem(502, `The plugin ${Name} does not respond: ${why}`);
}

function open(plugin: Plugin, path: string): OpenChannel {
  const connect = (poolMaxIdlePerHost: number): Deno.HttpClient =>
    Deno.createHttpClient({
      proxy: { transport: "unix", path },
      poolMaxIdlePerHost,
      // The name by which the router was called is passed on.
      allowHost: true,
    });
  const client = connect(MAX_IDLE_CONNECTIONS), once = connect(0);
  const ending = new AbortController();
  let waiting = 0;
  return {
    plugin,
    path,
    client,
    once,
    ended: ending.signal,
    waits() {
      if (waiting >= MAX_WAITING) {
        throw new Problem(503, `The plugin ${plugin.Name} is busy with other requests`, {
          headers: { "retry-after": "1" },
        });
      }
      waiting += 1;
      let isOver = false;
      return () => {
        if (!isOver) waiting -= 1;
        isOver = true;
      };
    },
    end() {
      ending.abort();
      client.close();
      once.close();
    },
  };
}

function kindOf(path: string): PathKind {
  try {
    const found = Deno.lstatSync(path);
    if (found.isSymlink) return "link";
    if (found.isDirectory) return "folder";
    return found.isSocket ? "socket" : "other";
  } catch (error) {
    const isNothing = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    if (isNothing) return null;
    // What cannot be looked at is not connected to.
    if (error instanceof Deno.errors.PermissionDenied) return "other";
    throw error;
  }
}
