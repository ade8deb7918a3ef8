import * as z from "zod";
import type { Config } from "../../../system/config.ts";
import type { ChangeEngine } from "../../../system/core/engine/change.ts";
import { invalid, notFound } from "../../../system/core/errors/problem.ts";
import { RegistryLogin } from "../../../system/core/machine/container_plan.ts";
import type { Programs } from "../../../system/core/process/programs.ts";
import type { PluginContainers } from "../../../system/plugins/containers.ts";
import { pluginOfCompose } from "../../../system/plugins/rules.ts";
import type { Plugin } from "../../../system/plugins/schema.ts";
import { type Route, route } from "../../http/route.ts";
import { COMMON, FAULTS, Target } from "./common.ts";

/** What acts on containers need. */
export interface ContainerDeps {
  readonly programs: Programs;
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly plugins: { readonly containers: PluginContainers };
}

/** Acts on the containers of plugins. */
export function containerRoutes(
  { engine, programs, plugins: { containers } }: ContainerDeps,
): Route[] {
  const common = { ...COMMON, method: "PUT", query: Target, errors: FAULTS } as const;
  /** The plugin whose containers are meant. Throws Problem. */
  const meant = async ({ service, compose_file }: z.output<typeof Target>): Promise<Plugin> => {
    if (compose_file === undefined) {
      throw invalid(
        "/compose_file",
        "Name the compose file of a plugin: processes of Sluice are not containers",
      );
    }
    const plugin = pluginOfCompose(engine.config, compose_file);
    if (service === undefined) return plugin;
    const services = (await containers.plan(plugin)).containers.map((one) => one.service);
    if (!services.includes(service)) throw notFound(`${compose_file} has no service ${service}`);
    if (services.length === 1) return plugin;
    throw invalid(
      "/service",
      "The containers of a compose file are handled together: leave it out",
    );
  };
  const Outcome = z.object({ Updated: z.boolean() });
  return [
    route({
      ...common,
      path: "/restart",
      summary: "Restart containers or the program",
      description:
        "Restarts the containers of a compose file, and makes them where there are none; " +
        "without a query all processes of Sluice.",
    }, async ({ query }) => {
      if (query.compose_file !== undefined) return await containers.restart(await meant(query));
      if (query.service === undefined) return await programs.restart();
      throw invalid("/service", "The processes of Sluice are restarted together: leave it out");
    }),
    route({
      ...common,
      path: "/start",
      summary: "Start containers",
      description: "Starts the containers of a compose file, and makes them where there are none.",
    }, async ({ query }) => await containers.start(await meant(query))),
    route({
      ...common,
      path: "/stop",
      summary: "Stop containers",
      description: "Stops the containers of a compose file.",
    }, async ({ query }) => await containers.stop(await meant(query))),
    route({
      ...common,
      path: "/down",
      summary: "Remove containers",
      description: "Removes the containers of a compose file. The folders that they see stay.",
    }, async ({ query }) => await containers.remove(await meant(query))),
    route({
      ...common,
      path: "/remove",
      summary: "Remove the containers of a plugin of a user",
      description: "As `/down`, for compose files below `plugins/user/` alone.",
    }, async ({ query }) => {
      const plugin = await meant(query);
      if (plugin.ComposeFilePath.startsWith("plugins/user/")) {
        return await containers.remove(plugin);
      }
      throw invalid("/compose_file", "Name a compose file below plugins/user/");
    }),
    route({
      ...common,
      path: "/update",
      summary: "Update containers",
      description: "As `/update_container`, with an empty response.",
    }, async ({ query }) => {
      await containers.update(await meant(query));
    }),
    route({
      ...common,
      path: "/update_container",
      summary: "Update containers, and say whether they changed",
      description:
        "Looks for newer images, and makes the containers of a compose file anew where one or the " +
        "file has changed, or by `force=1`. Where the new ones do not stay up, those before run " +
        "again, and the response is 502.",
      query: Target.extend({ force: z.enum(["0", "1"]).default("0") }),
      response: Outcome,
    }, async ({ query: { force, ...query } }) => {
      const plugin = await meant(query);
      const { recreated } = await containers.update(plugin, { force: force === "1" });
      return { Updated: recreated };
    }),
    route({
      ...COMMON,
      method: "PUT",
      path: "/ghcr_auth",
      summary: "Sign in to ghcr.io",
      description:
        "Stores the user and secret with which images of ghcr.io are fetched, once it has taken " +
        "them. They are readable for the router alone.",
      body: RegistryLogin,
      examples: { body: { Username: "me", Secret: "c2VjcmV0" } },
      errors: [400, 502, 503],
    }, async ({ body }) => await containers.setLogin(body)),
  ];
}
