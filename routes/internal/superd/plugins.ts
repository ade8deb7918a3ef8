import * as z from "zod";
import type { Config } from "../../../system/config.ts";
import type { ChangeEngine } from "../../../system/core/engine/change.ts";
import { notFound } from "../../../system/core/errors/problem.ts";
import { permittedComposePaths } from "../../../system/plugins/rules.ts";
import { Plugin } from "../../../system/plugins/schema.ts";
import { type Route, route } from "../../http/route.ts";
import { COMMON } from "./common.ts";

/** What is known of plugins. */
export function superdPluginRoutes(
  { engine }: { readonly engine: Pick<ChangeEngine<Config>, "config"> },
): Route[] {
  const git = {
    git_url: z.string().min(1).max(512).meta({ examples: ["https://git.example.org/me/plugin"] }),
  };
  const from = (url: string): Plugin => {
    const found = engine.config.plugins.Plugins.find(({ GitURL }) => GitURL === url);
    if (found !== undefined) return found;
    throw notFound("No plugin comes from this address; review it by PUT /plugin/review of the API");
  };
  return [
    route({
      ...COMMON,
      method: "GET",
      path: "/compose_paths",
      summary: "Compose files that plugins may name",
      description: "Those of known add-ons, and those that an admin permitted.",
      examples: { response: ["plugins/user/sample/docker-compose.yml"] },
      response: z.array(z.string()),
    }, () => [...permittedComposePaths(engine.config)]),
    route({
      ...COMMON,
      method: "GET",
      path: "/user_plugin_exists",
      summary: "Whether a plugin comes from an address",
      description: "Responds with nothing where one does, else 404.",
      query: z.object(git),
      errors: [404],
    }, ({ query }) => void from(query.git_url)),
    route({
      ...COMMON,
      method: "PUT",
      path: "/get_plugin_config",
      summary: "The entry of a plugin that comes from an address",
      description: "Of one that is installed; nothing is fetched by this.",
      query: z.object(git),
      response: Plugin,
      errors: [404],
    }, ({ query }) => from(query.git_url)),
  ];
}
