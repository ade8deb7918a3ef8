import { join } from "node:path";
import type { Config } from "../config.ts";
import { createAnew } from "../core/config/files.ts";
import { Problem } from "../core/errors/problem.ts";
import type { Bus } from "../core/events/bus.ts";
import type { Log } from "../core/log/log.ts";
import type { PluginControl, PluginPlan, ProgramState } from "./deno/control.ts";
import { pluginLinks, pluginPlaces } from "./deno/run_arguments.ts";
import type { PluginTokens } from "./plugin_tokens.ts";
import { MAX_PLUGINS, type Plugin } from "./schema.ts";

/** Milliseconds between two plans, also where nothing changed: plugind may have been restarted. */
const PLAN_INTERVAL_MS = 5000;
/** The same while plugind does not respond, as right after it was started; and failures until that is said. */
const RETRY_INTERVAL_MS = 300, QUIET_FAILURES = 5;

/** What {@link PluginPrograms} needs. */
export interface PluginProgramsDeps {
  readonly home: string;
  readonly config: () => Pick<Config, "plugins">;
  readonly control: PluginControl;
  /** Has plugind started, where a launcher runs; never throws. */
  readonly wake: () => Promise<void>;
  /** This process may connect to the numbered links alone. */
  readonly usesLinks: boolean;
  readonly tokens: PluginTokens;
  readonly bus: Pick<Bus, "publish">;
  readonly log: Log;
  /** False: nothing is run, as in tests. */
  readonly live: boolean;
}

/** The api's side of plugind: what is to run, how it runs, and the links to sockets. */
export class PluginPrograms {
  readonly #deps: PluginProgramsDeps;
  readonly #numbers = new Map<string, number>();
  /** Paths that the links lead to, as plugind confirmed. */
  #linked: ReadonlyMap<number, string> = new Map();
  #states: readonly ProgramState[] = [];
  #timer: ReturnType<typeof setInterval> | null = null;
  #running: Promise<void> | null = null;
  #again = false;
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: PluginProgramsDeps) {
    this.#deps = deps;
  }

  /** Begins to send plans. */
  start(): void {
    if (!this.#deps.live) return;
    this.#timer = setInterval(() => this.sync(), PLAN_INTERVAL_MS);
    this.sync();
  }

  /** How the programs of plugins ran when plugind last said so. */
  get states(): readonly ProgramState[] {
    return this.#states;
  }

  /** By which path this process connects to a plugin. Throws Problem 503 where it may not yet. */
  connectable(name: string, path: string): string {
    if (!this.#deps.usesLinks) return path;
    const number = this.#numbers.get(name);
    if (number !== undefined && this.#linked.get(number) === path) {
      return pluginLinks(this.#deps.home)[number]!;
    }
    this.sync();
    throw new Problem(
      503,
      this.#failures > QUIET_FAILURES
        ? "The process that connects plugins, plugind, does not run"
        : `The plugin ${name} is being connected; try again`,
      { headers: { "retry-after": "1" } },
    );
  }

  /** Has plugind do what the configuration says. Never throws. */
  sync(): void {
    if (!this.#deps.live) return;
    this.#again = true;
    this.#running ??= this.#work().finally(() => this.#running = null);
  }

  async restart(name: string): Promise<void> {
    await this.#deps.control.restart(name);
  }

  async fetch(url: string): Promise<string> {
    await this.#deps.wake();
    return await this.#deps.control.fetch(url);
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    clearTimeout(this.#retry);
    this.#again = false;
    await this.#running;
  }

  async #work(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      await this.#settleTokens();
      const plan = this.#plan();
      const isIdle = plan.links.length === 0 && plan.programs.length === 0 &&
        this.#states.length === 0;
      if (isIdle) continue;
      try {
        await this.#deps.wake();
        this.#take(await this.#deps.control.apply(plan));
        this.#linked = new Map(plan.links.map(({ number, path }) => [number, path]));
        this.#failures = 0;
      } catch (error) {
        this.#failures += 1;
        if (this.#failures <= QUIET_FAILURES && this.#timer !== null) {
          this.#retry = setTimeout(() => this.sync(), RETRY_INTERVAL_MS);
          continue;
        }
        if (this.#failures === QUIET_FAILURES + 1) {
          this.#deps.log.warn("plugins.plugind_away", "Plugins cannot be run", { error });
        }
        this.#take(plan.programs.map(({ name }) => ({
          ...{ name, since: 0, restarts: 0, memory: 0, state: "stopped" },
          detail: error instanceof Error ? error.message : String(error),
        })));
      }
    }
  }

  #plan(): PluginPlan {
    const { home, usesLinks } = this.#deps;
    const on = this.#deps.config().plugins.Plugins.filter(({ Enabled }) => Enabled);
    const linked = usesLinks ? on.filter(({ UnixPath }) => UnixPath !== "") : [];
    this.#number(linked);
    return {
      links: linked.map(({ Name, UnixPath }) => ({
        number: this.#numbers.get(Name)!,
        path: join(home, UnixPath),
      })),
      programs: on.filter(({ codeHash }) => codeHash !== "")
        .map(({ Name, codeHash }) => ({ name: Name, codeHash })),
    };
  }

  /** Gives each plugin a number of its own, and keeps those that are given. */
  #number(plugins: readonly Plugin[]): void {
    const names = new Set(plugins.map(({ Name }) => Name));
    for (const name of this.#numbers.keys()) if (!names.has(name)) this.#numbers.delete(name);
    const taken = new Set(this.#numbers.values());
    for (const name of names) {
      if (this.#numbers.has(name)) continue;
      const free = Array.from({ length: MAX_PLUGINS }, (_, n) => n).find((n) => !taken.has(n))!;
      taken.add(free);
      this.#numbers.set(name, free);
    }
  }

  #take(states: readonly ProgramState[]): void {
    const essence = (list: readonly ProgramState[]) =>
      JSON.stringify(list.map(({ name, state, detail }) => [name, state, detail]));
    const isNew = essence(states) !== essence(this.#states);
    this.#states = states;
    if (isNew) {
      this.#deps.bus.publish("plugins:state", {
        items: states.map(({ name, state, detail }) => ({ name, state, detail })),
      }, { kept: false });
    }
  }

  /** A plugin that is on has a token for its scopes, in a file of its folder; any other has none. */
  async #settleTokens(): Promise<void> {
    const { home, tokens, log } = this.#deps;
    try {
      const made = await tokens.settle(this.#deps.config().plugins.Plugins);
      for (const { plugin, token } of made) {
        const { data } = pluginPlaces(home, plugin.Name, plugin.codeHash);
        await Deno.mkdir(data, { recursive: true });
        using file = await createAnew(join(data, "token"), 0o640);
        await file.write(new TextEncoder().encode(token));
      }
    } catch (error) {
      log.error("plugins.token_failed", "A plugin got no token", { error });
    }
  }
}
