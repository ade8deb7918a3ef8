import type { Config } from "../config.ts";
import { errorText } from "../core/errors/error_text.ts";
import { Problem } from "../core/errors/problem.ts";
import type { Bus } from "../core/events/bus.ts";
import type { Log } from "../core/log/log.ts";
import type { ContainerAct } from "../core/machine/container_schema.ts";
import type { Machine } from "../core/machine/machine.ts";
import type { Plugin } from "./schema.ts";

/** What {@link PluginContainers} needs. */
export interface PluginContainersDeps {
  readonly config: () => Pick<Config, "plugins">;
  readonly machine: () => Pick<Machine, "actOnContainers">;
  readonly log: Log;
  readonly bus: Pick<Bus, "publish">;
}

/**
 * Containers of plugins that name a compose file: they start and stop as their plugin is turned on and
 * off. They are those that Compose made of this file; it makes them, and makes them anew.
 */
export class PluginContainers {
  readonly #deps: PluginContainersDeps;
  /** Compose files of plugins that are on, as of the last look. */
  #on: ReadonlySet<string>;

  constructor(deps: PluginContainersDeps) {
    this.#deps = deps;
    this.#on = this.#wanted();
  }

  /** Starts and stops what the configuration turned on and off since the last look. Never throws. */
  async sync(): Promise<void> {
    const before = this.#on, after = this.#wanted();
    this.#on = after;
    for (const path of before) if (!after.has(path)) await this.#try("stop", path);
    for (const path of after) if (!before.has(path)) await this.#try("start", path);
  }

  /** Restarts the containers of a plugin. Throws Problem 404, 502, 503. */
  async restart({ Name, ComposeFilePath }: Plugin): Promise<void> {
    const count = await this.#deps.machine().actOnContainers("restart", ComposeFilePath);
    if (count === null) {
      throw new Problem(503, "No container engine is reachable here to restart it");
    }
    if (count === 0) {
      throw new Problem(404, `${Name} has no containers: make them by docker compose up`);
    }
  }

  async #try(act: ContainerAct, path: string): Promise<void> {
    const { machine, log, bus } = this.#deps;
    try {
      const count = await machine().actOnContainers(act, path);
      if (count === null) return;
      if (count === 0) log.warn("plugins.no_containers", "A plugin has no containers", { path });
      else log.info("plugins.containers", "Containers of a plugin changed", { act, path, count });
    } catch (error) {
      log.error("plugins.containers_failed", "Containers of a plugin did not start or stop", {
        ...{ act, path, error },
      });
      const Reason = `Containers of a plugin did not ${act}`;
      bus.publish("plugin:docker:failure", {
        ...{ Reason, Message: errorText(error), ComposeFile: path },
      });
    }
  }

  #wanted(): ReadonlySet<string> {
    return new Set(
      this.#deps.config().plugins.Plugins
        .filter(({ Enabled, ComposeFilePath }) => Enabled && ComposeFilePath !== "")
        .map(({ ComposeFilePath }) => ComposeFilePath),
    );
  }
}
