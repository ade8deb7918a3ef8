import type { Access } from "../../system/access/open.ts";
import type { RandomBytes } from "../../system/access/digest.ts";
import type { Config } from "../../system/config.ts";
import type { Bus } from "../../system/core/events/bus.ts";
import type { Log } from "../../system/core/log/log.ts";
import type { Control } from "../../system/core/process/control.ts";
import { PluginChannels } from "../../system/plugins/channels.ts";
import { PluginContainers, type PluginContainersDeps } from "../../system/plugins/containers.ts";
import { type PluginControl, pluginControlClient } from "../../system/plugins/deno/control.ts";
import { CodeStore } from "../../system/plugins/install/store.ts";
import { PluginTokens } from "../../system/plugins/plugin_tokens.ts";
import { PluginPrograms } from "../../system/plugins/programs.ts";
import { UiSessions } from "../../system/plugins/ui_sessions.ts";
import { sockets } from "../../system/processes.ts";
import type { AppDeps } from "../app.ts";

/** How plugins are run. */
export interface PluginsOptions {
  /** The launcher, which starts plugind; null where it is a unit of its own. */
  readonly launcher: Pick<Control, "list" | "start"> | null;
  /** Replaces the process that runs plugins, in tests. */
  readonly control?: PluginControl;
}

/** What plugins need of the router. */
interface PluginsParts {
  readonly home: string;
  readonly config: () => Config;
  readonly bus: Bus;
  readonly log: Log;
  readonly random: RandomBytes;
  readonly now: () => number;
  readonly steady: () => number;
  readonly machine: PluginContainersDeps["machine"];
  readonly options: PluginsOptions | undefined;
}

/** The sessions of plugin pages, which authentication knows. */
export function pluginSessions(
  parts: Pick<PluginsParts, "config" | "random" | "now" | "steady">,
): UiSessions {
  return new UiSessions(parts);
}

/** Assembles plugins, and keeps what they have in step with the configuration. */
export function openPlugins(
  parts: PluginsParts & {
    readonly sessions: UiSessions;
    readonly access: Pick<Access, "tokens">;
  },
): AppDeps["plugins"] & { close(): Promise<void> } {
  const { home, config, bus, log, steady, now, options, sessions, access } = parts;
  const launcher = options?.launcher ?? null;
  const programs = new PluginPrograms({
    ...{ home, config, bus, log },
    control: options?.control ?? pluginControlClient(sockets(home).plugind),
    wake: () => launcher === null ? Promise.resolve() : wake(launcher, log),
    usesLinks: launcher !== null,
    tokens: new PluginTokens(access.tokens, bus),
    live: options !== undefined,
  });
  const channels = new PluginChannels({
    home,
    config,
    connectable: (name, path) => programs.connectable(name, path),
  });
  const code = new CodeStore({
    ...{ home, steady, now, bus },
    fetch: (url) => programs.fetch(url),
    installed: () => config().plugins.Plugins,
  });
  const containers = new PluginContainers({ home, config, log, bus, machine: parts.machine });
  const stop = bus.subscribe(() => {
    channels.sync();
    sessions.prune();
    programs.sync();
    void containers.sync();
    void code.prune(config().plugins.Plugins);
  }, ["plugins"]);
  void code.prune(config().plugins.Plugins);
  programs.start();
  return {
    ...{ channels, sessions, programs, code, containers },
    async close() {
      stop();
      channels.close();
      await programs.close();
    },
  };
}

async function wake(launcher: NonNullable<PluginsOptions["launcher"]>, log: Log): Promise<void> {
  try {
    const plugind = (await launcher.list()).find(({ name }) => name === "plugind");
    if (plugind?.state === "stopped") await launcher.start("plugind");
  } catch (error) {
    log.warn("plugins.not_started", "The process that runs plugins could not be started", {
      error,
    });
  }
}
