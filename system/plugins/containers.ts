import { join } from "node:path";
import type { Config } from "../config.ts";
import { createAnew } from "../core/config/files.ts";
import { errorText } from "../core/errors/error_text.ts";
import { Problem } from "../core/errors/problem.ts";
import type { Bus } from "../core/events/bus.ts";
import type { Log } from "../core/log/log.ts";
import {
  type ContainerPlan,
  type Deployed,
  RegistryLogin,
} from "../core/machine/container_plan.ts";
import type { ContainerAct } from "../core/machine/container_schema.ts";
import type { Machine } from "../core/machine/machine.ts";
import { makeFolders, planOf } from "./compose/place.ts";
import { pluginOfCompose } from "./rules.ts";
import type { Plugin } from "./schema.ts";

/** The credentials of the registry, which no other user of the machine can read. */
const LOGIN_FILE = "state/api/registry_login.json";

/** What {@link PluginContainers} needs. */
export interface PluginContainersDeps {
  readonly home: string;
  readonly config: () => Pick<Config, "plugins" | "composePaths">;
  readonly machine: () => Pick<
    Machine,
    "actOnContainers" | "deployContainers" | "removeContainers" | "checkRegistryLogin"
  >;
  readonly log: Log;
  readonly bus: Pick<Bus, "publish">;
}

/**
 * Containers of plugins that name a compose file: they are made of it, start and stop as their plugin is
 * turned on and off, and go with it. Those that Docker Compose made of this file are started and stopped
 * alike, and left to Compose otherwise.
 */
export class PluginContainers {
  readonly #deps: PluginContainersDeps;
  /** Compose files of plugins that are on, as of the last look. */
  #on: ReadonlySet<string>;
  /** Compose files of all plugins, likewise. */
  #named: ReadonlySet<string>;
  /** Why the containers of a compose file could not be made or started last. */
  readonly #faults = new Map<string, string>();
  /** One thing at a time: an update never meets the start of what it replaces. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: PluginContainersDeps) {
    this.#deps = deps;
    this.#on = new Set(this.#composed(true));
    this.#named = new Set(this.#composed(false));
  }

  /**
   * Starts and stops what the configuration turned on and off since the last look, and removes what no
   * plugin names any more. Never throws.
   */
  async sync(): Promise<void> {
    const before = this.#on, named = this.#named;
    this.#on = new Set(this.#composed(true));
    this.#named = new Set(this.#composed(false));
    const after = this.#on;
    for (const path of named) if (!this.#named.has(path)) await this.#try("remove", path);
    for (const path of before) {
      if (!after.has(path) && this.#named.has(path)) await this.#try("stop", path);
    }
    for (const path of after) if (!before.has(path)) await this.#try("start", path);
  }

  /** Why the containers of a plugin could not be made or started last; null for nothing. */
  fault({ ComposeFilePath }: Pick<Plugin, "ComposeFilePath">): string | null {
    return this.#faults.get(ComposeFilePath) ?? null;
  }

  /** The containers that the compose file of a plugin describes. Throws Problem 400, 404. */
  async plan(plugin: Plugin): Promise<ContainerPlan> {
    return await planOf(plugin, this.#deps.home);
  }

  /** Starts the containers of a plugin, and makes them where there are none. Throws Problem. */
  async start(plugin: Plugin): Promise<void> {
    await this.#alone(plugin, async () => {
      const count = await this.#act("start", plugin.ComposeFilePath);
      if (count === 0) await this.#deploy(plugin, { pull: false, force: false });
    });
  }

  /** Stops the containers of a plugin. Throws Problem 502, 503. */
  async stop(plugin: Plugin): Promise<void> {
    await this.#alone(plugin, () => this.#act("stop", plugin.ComposeFilePath));
  }

  /** Restarts the containers of a plugin, and makes them where there are none. Throws Problem. */
  async restart(plugin: Plugin): Promise<void> {
    await this.#alone(plugin, async () => {
      const count = await this.#act("restart", plugin.ComposeFilePath);
      if (count === 0) await this.#deploy(plugin, { pull: false, force: false });
    });
  }

  /**
   * Looks for newer images, and makes the containers of a plugin anew where one or the compose file has
   * changed, or by `force`. Those before run again where the new ones do not stay up. Throws Problem 400,
   * 404, 409, 502, 503.
   */
  async update(plugin: Plugin, { force = false } = {}): Promise<Deployed> {
    return await this.#alone(plugin, () => this.#deploy(plugin, { pull: true, force }));
  }

  /** Removes the containers of a plugin, whose folders stay. Throws Problem 502, 503. */
  async remove(plugin: Pick<Plugin, "ComposeFilePath">): Promise<void> {
    await this.#alone(plugin, async () => {
      const count = await this.#deps.machine().removeContainers(plugin.ComposeFilePath);
      if (count === null) throw noEngine();
    });
  }

  /** Stores credentials of ghcr.io, once it has taken them. Throws Problem 400, 502, 503. */
  async setLogin(login: RegistryLogin): Promise<void> {
    const isTaken = await this.#deps.machine().checkRegistryLogin(login);
    if (isTaken === null) throw noEngine();
    if (!isTaken) throw new Problem(400, "ghcr.io does not take this user and secret");
    const path = join(this.#deps.home, LOGIN_FILE);
    await Deno.mkdir(join(path, ".."), { recursive: true, mode: 0o750 });
    using file = await createAnew(path);
    await file.write(new TextEncoder().encode(JSON.stringify(login)));
  }

  async #act(act: ContainerAct, path: string): Promise<number> {
    const count = await this.#deps.machine().actOnContainers(act, path);
    if (count === null) throw noEngine();
    return count;
  }

  async #deploy(
    plugin: Plugin,
    how: { readonly pull: boolean; readonly force: boolean },
  ): Promise<Deployed> {
    const { home, config, machine } = this.#deps;
    pluginOfCompose(config(), plugin.ComposeFilePath);
    const plan = await planOf(plugin, home);
    await makeFolders(plan, home);
    const deployed = await machine().deployContainers(plan, { ...how, login: await this.#login() });
    if (deployed === null) throw noEngine();
    return deployed;
  }

  async #login(): Promise<RegistryLogin | null> {
    try {
      const text = await Deno.readTextFile(join(this.#deps.home, LOGIN_FILE));
      return RegistryLogin.parse(JSON.parse(text));
    } catch {
      // None was stored, or it is unreadable: what is public is fetched all the same.
      return null;
    }
  }

  /** Works once what went before is over, and remembers why it failed. */
  async #alone<T>(
    { ComposeFilePath }: Pick<Plugin, "ComposeFilePath">,
    work: () => Promise<T>,
  ): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => {});
    try {
      const result = await mine;
      this.#faults.delete(ComposeFilePath);
      return result;
    } catch (error) {
      this.#faults.set(ComposeFilePath, errorText(error));
      throw error;
    }
  }

  async #try(act: "start" | "stop" | "remove", path: string): Promise<void> {
    const plugin = this.#deps.config().plugins.Plugins
      .find(({ ComposeFilePath }) => ComposeFilePath === path);
    try {
      if (act === "remove") await this.remove({ ComposeFilePath: path });
      else if (plugin !== undefined) await this[act](plugin);
      this.#deps.log.info("plugins.containers", "Containers of a plugin changed", { act, path });
    } catch (error) {
      // Nothing runs without an engine; the status of the plugin says so.
      if (error instanceof Problem && error.status === 503) return;
      if (error instanceof Problem && error.status === 404) {
        return this.#deps.log.warn("plugins.no_containers", error.message, { path });
      }
      this.#deps.log.error(
        "plugins.containers_failed",
        "Containers of a plugin did not start or stop",
        { act, path, error },
      );
      const Reason = `Containers of a plugin did not ${act}`;
      this.#deps.bus.publish("plugin:docker:failure", {
        ...{ Reason, Message: errorText(error), ComposeFile: path },
      });
    }
  }

  /** The compose files of plugins, of those that are on alone or of all. */
  #composed(onAlone: boolean): readonly string[] {
    return this.#deps.config().plugins.Plugins
      .filter(({ Enabled, ComposeFilePath }) => ComposeFilePath !== "" && (Enabled || !onAlone))
      .map(({ ComposeFilePath }) => ComposeFilePath);
  }
}

function noEngine(): Problem {
  return new Problem(503, "No container engine is reachable here");
}
