import { join } from "node:path";
import type { Config } from "../config.ts";
import { createAnew } from "../core/config/files.ts";
import { errorText } from "../core/errors/error_text.ts";
import { notFound, Problem } from "../core/errors/problem.ts";
import type { Bus } from "../core/events/bus.ts";
import type { Log } from "../core/log/log.ts";
import {
  type ContainerPlan,
  type Deployed,
  type PlanOwner,
  RegistryLogin,
} from "../core/machine/container_plan.ts";
import type { ContainerAct } from "../core/machine/container_schema.ts";
import type { Machine } from "../core/machine/machine.ts";
import { Turns } from "../core/time/turns.ts";
import { planOf } from "./compose/place.ts";
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

/** A plugin and its compose file, as containers are known by. */
type Owner = Pick<Plugin, "Name" | "ComposeFilePath">;

/** `unsure`: what was tried last failed, so it is tried again. */
interface Known {
  readonly owner: Owner;
  readonly state: "on" | "off" | "unsure";
}

/**
 * Containers of plugins that name a compose file: they are made of it, start and stop as their plugin is
 * turned on and off, and go with it. Containers that anybody else made are left alone.
 */
export class PluginContainers {
  readonly #deps: PluginContainersDeps;
  /** What the containers of each plugin were brought to, by {@link keyOf}. */
  readonly #known = new Map<string, Known>();
  /** Why the containers of a compose file could not be made or started last. */
  readonly #faults = new Map<string, string>();
  /**
   * What was asked for later reaches netd later, for one plugin; an image that takes minutes holds up no
   * other. netd itself does one thing at a time for a plugin, also for an api that was restarted.
   */
  readonly #turns = new Turns();
  readonly #looks = new Turns();

  constructor(deps: PluginContainersDeps) {
    this.#deps = deps;
    for (const owner of this.#composed()) {
      this.#known.set(keyOf(owner), { owner, state: owner.Enabled ? "on" : "off" });
    }
  }

  /**
   * Starts and stops what the configuration turned on and off since the last look, and removes what no
   * plugin names any more. What fails is logged, and tried again at the next look. Never throws.
   */
  async sync(): Promise<void> {
    const plugins = this.#composed(), keys = new Set(plugins.map(keyOf));
    // First what goes: a plugin with another compose file has the same names of containers.
    const gone = [...this.#known.values()].map(({ owner }) => owner)
      .filter((owner) => !keys.has(keyOf(owner)));
    await Promise.all(
      [...gone, ...plugins].map((owner) => this.#looks.take(owner.Name, () => this.#settle(owner))),
    );
  }

  /** Brings the containers of a plugin to what its entry says by now. */
  async #settle(owner: Owner): Promise<void> {
    const key = keyOf(owner), before = this.#known.get(key)?.state ?? "off";
    const plugin = this.#composed().find((one) => keyOf(one) === key);
    if (plugin === undefined) {
      if (this.#known.has(key) && await this.#try("remove", owner)) this.#known.delete(key);
      return;
    }
    const wanted = plugin.Enabled ? "on" : "off";
    // From now on it may have containers: a caller that asks meanwhile has to see that.
    if (before !== wanted) this.#known.set(key, { owner: plugin, state: "unsure" });
    const isDone = before === wanted || await this.#try(plugin.Enabled ? "start" : "stop", plugin);
    this.#known.set(key, { owner: plugin, state: isDone ? wanted : "unsure" });
  }

  /** Why the containers of a plugin could not be made or started last; null for nothing. */
  fault({ ComposeFilePath }: Pick<Plugin, "ComposeFilePath">): string | null {
    return this.#faults.get(ComposeFilePath) ?? null;
  }

  /** The containers that the compose file of a plugin describes. Throws Problem 400, 404. */
  async plan(plugin: Plugin): Promise<ContainerPlan> {
    return await planOf(plugin, this.#deps.home);
  }

  /**
   * Starts the containers of a plugin that is on, and makes them where there are none. Throws Problem,
   * 404 where it is off by then.
   */
  async start(plugin: Owner): Promise<void> {
    await this.#act("start", plugin);
  }

  /** Stops the containers of a plugin. Throws Problem 502, 503. */
  async stop(plugin: Owner): Promise<void> {
    await this.#alone(plugin, () => this.#order("stop", plugin));
  }

  /** Restarts the containers of a plugin that is on, and makes them where there are none. Throws Problem. */
  async restart(plugin: Owner): Promise<void> {
    await this.#act("restart", plugin);
  }

  /**
   * Looks for newer images, and makes the containers of a plugin anew where one or the compose file has
   * changed, or by `force`. Those before run again where the new ones do not stay up. Throws Problem 400,
   * 404, 409, 502, 503.
   */
  async update(plugin: Owner, { force = false } = {}): Promise<Deployed> {
    return await this.#alone(plugin, () => this.#deploy(this.#on(plugin), { pull: true, force }));
  }

  /** Removes the containers of a plugin, whose folders stay. Throws Problem 502, 503. */
  async remove(plugin: Owner): Promise<void> {
    await this.#alone(plugin, async () => {
      const count = await this.#deps.machine().removeContainers(planOwner(plugin));
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

  async #act(act: "start" | "restart", owner: Owner): Promise<void> {
    await this.#alone(owner, async () => {
      const plugin = this.#on(owner);
      const count = await this.#order(act, plugin);
      if (count === 0) await this.#deploy(plugin, { pull: false, force: false });
    });
  }

  async #order(act: ContainerAct, owner: Owner): Promise<number> {
    const count = await this.#deps.machine().actOnContainers(act, planOwner(owner));
    if (count === null) throw noEngine();
    return count;
  }

  /** The plugin as it is now: it may have been turned off while this waited. Throws Problem 404. */
  #on(owner: Owner): Plugin {
    const found = this.#deps.config().plugins.Plugins.find((one) => keyOf(one) === keyOf(owner));
    if (found?.Enabled === true) return found;
    throw notFound(`The plugin ${owner.Name} is turned off`);
  }

  async #deploy(
    plugin: Plugin,
    how: { readonly pull: boolean; readonly force: boolean },
  ): Promise<Deployed> {
    const { home, config, machine } = this.#deps;
    pluginOfCompose(config(), plugin.ComposeFilePath);
    const plan = await planOf(plugin, home);
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

  /** Works once what went before for this plugin is over, and remembers why it failed. */
  async #alone<T>({ Name, ComposeFilePath }: Owner, work: () => Promise<T>): Promise<T> {
    try {
      const result = await this.#turns.take(Name, work);
      this.#faults.delete(ComposeFilePath);
      return result;
    } catch (error) {
      this.#faults.set(ComposeFilePath, errorText(error));
      throw error;
    }
  }

  /** True where it was done; else the next look tries it again. */
  async #try(act: "start" | "stop" | "remove", owner: Owner): Promise<boolean> {
    const path = owner.ComposeFilePath;
    try {
      await this[act](owner);
      this.#deps.log.info("plugins.containers", "Containers of a plugin changed", { act, path });
      return true;
    } catch (error) {
      // Nothing runs without an engine; the status of the plugin says so.
      if (error instanceof Problem && error.status === 503) return false;
      if (error instanceof Problem && error.status === 404) {
        this.#deps.log.warn("plugins.no_containers", error.message, { path });
        return false;
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
      return false;
    }
  }

  /** The plugins that name a compose file. */
  #composed(): readonly Plugin[] {
    return this.#deps.config().plugins.Plugins.filter((one) => one.ComposeFilePath !== "");
  }
}

function keyOf({ Name, ComposeFilePath }: Owner): string {
  return `${Name} ${ComposeFilePath}`;
}

function planOwner({ Name, ComposeFilePath }: Owner): PlanOwner {
  return { plugin: Name, composeFile: ComposeFilePath };
}

function noEngine(): Problem {
  return new Problem(503, "No container engine is reachable here");
}
