import * as z from "zod";
import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import { notFound, Problem } from "../../system/core/errors/problem.ts";
import type { PluginChannels } from "../../system/plugins/channels.ts";
import type { PluginContainers } from "../../system/plugins/containers.ts";
import type { ProgramState } from "../../system/plugins/deno/control.ts";
import type { CodeStore } from "../../system/plugins/install/store.ts";
import type { PluginPrograms } from "../../system/plugins/programs.ts";
import { requirePlugin } from "../../system/plugins/rules.ts";
import { type Plugin, PluginName } from "../../system/plugins/schema.ts";
import { type Route, route } from "../http/route.ts";

/** What the routes about running plugins need. */
export interface StatusDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly plugins: {
    readonly channels: PluginChannels;
    readonly programs: Pick<PluginPrograms, "states" | "restart">;
    readonly code: CodeStore;
    readonly containers: PluginContainers;
  };
}

const Status = z.object({
  name: PluginName,
  /** `waiting`: it ended by itself and is started again; `down`: it does not respond. */
  state: z.enum(["off", "running", "waiting", "down"]),
  /** Why it is down or was ended last; "" for nothing. */
  detail: z.string(),
  /** Unix milliseconds since when; 0 where that is not known. */
  since: z.number(),
  restarts: z.int(),
  /** Bytes that it holds in memory; 0 where that is not known. */
  memory: z.number(),
  /** Of a Deno plugin, else "". */
  version: z.string(),
  /** What a Deno plugin may do; null for any other. */
  rights: z.array(z.object({ text: z.string(), isDangerous: z.boolean() })).nullable(),
}).meta({ id: "PluginStatus" });

/** How plugins run. */
export function statusRoutes({ engine, plugins }: StatusDeps): Route[] {
  const common = { tag: "Plugins", access: "auth" } as const;
  return [
    route({
      ...common,
      method: "GET",
      path: "/plugin/status",
      summary: "How plugins run, and what they may do",
      description:
        "One item for each plugin, in their order. What Deno plugins write is in the log, as process " +
        "`plugin:<Name>`.",
      response: z.object({ items: z.array(Status) }),
    }, async () => ({
      items: await Promise.all(
        engine.config.plugins.Plugins.map((one) => statusOf(one, { engine, plugins })),
      ),
    })),
    route({
      ...common,
      method: "PUT",
      path: "/plugins_api/{name}/restart",
      params: z.object({ name: PluginName }),
      summary: "Restart a plugin",
      description:
        "Restarts the process of a Deno plugin, or the containers of the compose file of another; " +
        "they are made where there are none.",
      errors: [403, 404, 409, 502, 503],
    }, async ({ params }) => {
      const plugin = requirePlugin(engine.config, params.name);
      if (!plugin.Enabled) throw notFound(`The plugin ${plugin.Name} is turned off`);
      if (plugin.codeHash !== "") return await plugins.programs.restart(plugin.Name);
      if (plugin.ComposeFilePath !== "") return await plugins.containers.restart(plugin);
      throw new Problem(409, `${plugin.Name} names no compose file; restart its program itself`);
    }),
    route({
      ...common,
      method: "PUT",
      path: "/plugins_api/{name}/update_container",
      params: z.object({ name: PluginName }),
      summary: "Update the containers of a plugin",
      description:
        "Looks for newer images, and makes the containers anew where one or the compose file has " +
        "changed. Where the new ones do not stay up, those before run again, and the response is " +
        "502. It may take minutes.",
      response: z.object({
        Updated: z.boolean(),
        GitUpdated: z.boolean(),
        ImageUpdated: z.boolean(),
      }),
      errors: [403, 404, 409, 502, 503],
    }, async ({ params }) => {
      const plugin = requirePlugin(engine.config, params.name);
      if (!plugin.Enabled) throw notFound(`The plugin ${plugin.Name} is turned off`);
      if (plugin.ComposeFilePath === "") {
        throw notFound(`The plugin ${plugin.Name} names no compose file`);
      }
      const { recreated, imageUpdated } = await plugins.containers.update(plugin);
      return { Updated: recreated, GitUpdated: false, ImageUpdated: imageUpdated };
    }),
  ];
}

async function statusOf(plugin: Plugin, { plugins }: StatusDeps): Promise<z.input<typeof Status>> {
  const { programs, code } = plugins;
  const manifest = await code.manifestOf(plugin);
  const rights = await code.rightsOf(plugin);
  const known = programs.states.find(({ name }) => name === plugin.Name);
  return {
    name: plugin.Name,
    ...stateOf(plugin, known, plugins),
    since: known?.since ?? 0,
    restarts: known?.restarts ?? 0,
    memory: known?.memory ?? 0,
    version: manifest?.Version ?? "",
    rights: rights === null ? null : [...rights],
  };
}

function stateOf(
  plugin: Plugin,
  known: ProgramState | undefined,
  { channels, containers }: StatusDeps["plugins"],
): Pick<z.input<typeof Status>, "state" | "detail"> {
  if (!plugin.Enabled) return { state: "off", detail: "" };
  const detail = known?.detail ?? "";
  if (known !== undefined && known.state !== "running") {
    return { state: known.state === "waiting" ? "waiting" : "down", detail };
  }
  const away = plugin.UnixPath === "" ? null : channels.fault(plugin);
  // What answers runs, by whatever it was started.
  const fault = plugin.UnixPath !== "" && away === null ? null : containers.fault(plugin) ?? away;
  return fault === null ? { state: "running", detail } : { state: "down", detail: fault };
}
