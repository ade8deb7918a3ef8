import type { Config } from "../config.ts";
import { Problem } from "../core/errors/problem.ts";
import { HttpClient } from "../core/ipc/http/client.ts";
import type { Plugin } from "./schema.ts";
import { type PathKind, socketPlace } from "./socket_path.ts";

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
  readonly client: HttpClient;
  /** What WebSockets are opened by. Throws Problem 502, 503. */
  webSockets(): Deno.HttpClient;
  /** Aborted once the plugin is removed, turned off or moved. */
  readonly ended: AbortSignal;
  /** Counts a request that waits for its answer until the returned function is called. */
  waits(): () => void;
}

interface OpenChannel extends PluginChannel {
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

  /** The connection to a plugin, whose socket is looked at anew with each connection that is opened. */
  to(plugin: Plugin): PluginChannel {
    const known = this.#open.get(plugin.Name);
    if (known?.plugin === plugin) return known;
    known?.end();
    const opened = open(plugin, () => this.#path(plugin));
    this.#open.set(plugin.Name, opened);
    return opened;
  }

  /** By which path to connect to a plugin. Throws Problem 502, 503. */
  #path(plugin: Plugin): string {
    const place = socketPlace(plugin, this.#deps.home, kindOf);
    if ("fault" in place) throw away(plugin, place.fault);
    return this.#deps.connectable?.(plugin.Name, place.path) ?? place.path;
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

function open(plugin: Plugin, pathOf: () => string): OpenChannel {
  const client = new HttpClient(pathOf);
  let sockets: { readonly path: string; readonly client: Deno.HttpClient } | null = null;
  const ending = new AbortController();
  let waiting = 0;
  return {
    plugin,
    client,
    webSockets() {
      const path = pathOf();
      if (sockets?.path === path) return sockets.client;
      sockets?.client.close();
      // The name by which the router was called is passed on.
      const options = { proxy: { transport: "unix", path }, allowHost: true } as const;
      sockets = { path, client: Deno.createHttpClient(options) };
      return sockets.client;
    },
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
      sockets?.client.close();
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
