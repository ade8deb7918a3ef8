import * as z from "zod";
import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import { invalid, notFound, Problem } from "../../system/core/errors/problem.ts";
import { RegistryLogin } from "../../system/core/machine/container_plan.ts";
import {
  Container,
  ContainerNetwork,
  VirtualMachines,
} from "../../system/core/machine/container_schema.ts";
import type { Machine } from "../../system/core/machine/machine.ts";
import type { Programs } from "../../system/core/process/programs.ts";
import type { Releases } from "../../system/machine/releases.ts";
import { Release } from "../../system/machine/schema.ts";
import type { PluginContainers } from "../../system/plugins/containers.ts";
import { permittedComposePaths, pluginOfCompose } from "../../system/plugins/rules.ts";
import { ComposePath, Plugin } from "../../system/plugins/schema.ts";
import { type Route, route, type RouteDescription } from "../http/route.ts";
import { processLines } from "../machine/containers.ts";
import { versionOf } from "../machine/releases.ts";

/** What the supervisor's socket needs. */
export interface SuperdDeps {
  readonly releases: Releases;
  readonly programs: Programs;
  readonly machine: () => Machine;
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly plugins: { readonly containers: PluginContainers };
}

const ServiceName = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$/, {
  error: "Write the name of a service, such as dns",
}).meta({ examples: ["dns"] });
const Target = z.object({ service: ServiceName.optional(), compose_file: ComposePath.optional() });
const COMMON = { tag: "Supervisor", access: "auth" } as const;
const FAULTS = [400, 403, 404, 409, 502, 503] as const;

/**
 * Routes of the socket by which existing services read versions and act on containers. Compose files are
 * those of plugins, from the list of permitted ones; nothing else of the engine can be had here.
 */
export function superdSocketRoutes(deps: SuperdDeps): Route[] {
  return [
    ...versionRoutes(deps),
    ...actRoutes(deps),
    ...listRoutes(deps),
    ...pluginRoutes(deps),
    ...ELSEWHERE.map(elsewhere),
  ];
}

function versionRoutes({ releases, engine }: SuperdDeps): Route[] {
  const common = { ...COMMON, method: "GET", response: z.string(), errors: [404] } as const;
  const name = z.string().max(128).default("");
  return [
    route({
      ...common,
      path: "/git_version",
      summary: "Version of the program or of a plugin",
      description:
        "Without a name: the version of the program. 404 for a plugin that is not known.",
      examples: { parameters: { plugin: "api" }, response: "0.1.0" },
      query: z.object({ plugin: name }),
    }, ({ query }) => versionOf(releases, query.plugin || "superd")),
    route({
      ...common,
      path: "/container_version",
      summary: "Version of a part of the program",
      description: "Without a name: the version of the program. 404 for a part that is not known.",
      examples: { parameters: { container: "dns" }, response: "0.1.0" },
      query: z.object({ container: name }),
    }, ({ query }) => versionOf(releases, query.container || "superd")),
    route({
      ...COMMON,
      method: "GET",
      path: "/release",
      summary: "Running version and selected release",
      description: "As `GET /release` of the API.",
      response: Release,
    }, () => {
      const { CustomChannel, CustomVersion } = engine.config.updates;
      return { CustomChannel, CustomVersion, Current: releases.current };
    }),
    route({
      ...COMMON,
      method: "POST",
      path: "/remote_container_tags",
      summary: "Tags of the program, oldest first",
      description: "The tags that are known here; no registry is asked, and a body is ignored.",
      examples: { parameters: { container: "super_base" }, response: { tags: ["v0.1.0"] } },
      query: z.object({ container: z.string().max(128) }),
      response: z.object({ tags: z.array(z.string()) }),
    }, async () => ({ tags: [...await releases.tags()] })),
  ];
}

function actRoutes({ engine, programs, plugins: { containers } }: SuperdDeps): Route[] {
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

function listRoutes({ engine, programs, machine, plugins: { containers } }: SuperdDeps): Route[] {
  const common = { ...COMMON, method: "GET" } as const;
  return [
    route({
      ...common,
      path: "/docker_ps",
      summary: "Whether containers or processes run",
      description:
        "A text with one line of JSON for each container of a compose file, else for each running " +
        "process of this name.",
      examples: {
        parameters: { service: "dns" },
        response: '{"Name":"dnsd","Service":"dnsd","State":"running"}',
      },
      query: Target,
      response: z.string(),
      errors: FAULTS,
    }, async ({ query: { service = "", compose_file } }) => {
      if (compose_file === undefined) return await processLines(programs, service);
      const plan = await containers.plan(pluginOfCompose(engine.config, compose_file));
      const there = await machine().containers();
      return plan.containers.filter((one) => service === "" || one.service === service)
        .flatMap(({ name, service }) => {
          const found = there.find(({ Names }) => Names.includes(`/${name}`));
          return found === undefined
            ? []
            : [JSON.stringify({ Name: name, Service: service, State: found.State })];
        }).join("\n");
    }),
    route({
      ...common,
      path: "/docker_info",
      summary: "Containers or their networks",
      description: "As `/info/docker` and `/info/dockernetworks` of the API; `id` is of a network.",
      examples: { parameters: { resource: "networks" }, response: [] },
      query: z.object({
        resource: z.enum(["containers", "networks"]),
        id: z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/).optional(),
      }),
      response: z.union([z.array(Container), z.array(ContainerNetwork), ContainerNetwork]),
      errors: [400, 404, 502],
    }, async ({ query: { resource, id } }) => {
      if (resource === "containers") return [...await machine().containers()];
      const networks = await machine().networks();
      if (id === undefined) return [...networks];
      const found = networks.find(({ Id, Name }) => Id === id || Name === id);
      if (found === undefined) throw notFound(`There is no network ${id}`);
      return found;
    }),
    route({
      ...common,
      path: "/virtual_machines",
      summary: "Virtual machines",
      description: "As `/info/vms` of the API.",
      response: VirtualMachines,
      errors: [502, 503],
    }, () => machine().virtualMachines()),
    route({
      ...common,
      path: "/compose_paths",
      summary: "Compose files that plugins may name",
      description: "Those of known add-ons, and those that an admin permitted.",
      examples: { response: ["plugins/user/sample/docker-compose.yml"] },
      response: z.array(z.string()),
    }, () => [...permittedComposePaths(engine.config)]),
    route({
      ...common,
      path: "/plugin_runtime_status",
      summary: "Whether a runtime of containers is ready",
      description: "The engine's own runtime (`default`) is the only one.",
      examples: {
        parameters: { runtime: "default" },
        response: { Runtime: "default", Ready: true },
      },
      query: z.object({ runtime: z.enum(["", "default", "kvm"]).default("default") }),
      response: z.object({
        Runtime: z.string(),
        Ready: z.boolean(),
        Reason: z.string().optional(),
      }),
      errors: [400, 502],
    }, async ({ query }) => {
      if (query.runtime === "kvm") {
        return {
          Runtime: "kvm",
          Ready: false,
          Reason: "Containers run in the default runtime alone",
        };
      }
      // An engine has networks always.
      const Ready = (await machine().networks()).length > 0;
      const why = Ready ? {} : { Reason: "No container engine is reachable here" };
      return { Runtime: "default", Ready, ...why };
    }),
    route({
      ...COMMON,
      method: "PUT",
      path: "/time/sync",
      summary: "Synchronise the clock",
      description: "As `PUT /time/sync` of the API.",
      errors: [502, 503],
    }, () => machine().syncTime()),
  ];
}

function pluginRoutes({ engine }: SuperdDeps): Route[] {
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

/** What the supervisor of existing routers does besides, and why it is not done here. */
const ELSEWHERE: readonly (readonly [RouteDescription["method"], path: string, why: string])[] = [
  ["PUT", "/build", "Images are not built here: name a built image in the compose file"],
  ["PUT", "/release", "Select a release by PUT /releaseSet of the API, with a one-time password"],
  [
    "DELETE",
    "/release",
    "Select a release by DELETE /releaseSet of the API, with a one-time password",
  ],
  ["PUT", "/update_git", "Have an admin review files of plugins by PUT /plugin/review of the API"],
  ["PUT", "/switch_plugin_runtime", "Containers run in the engine's own runtime alone"],
  ["GET", "/attest_status", "Sluice has no container images that could be attested"],
  ["PUT", "/attest_status", "Sluice has no container images that could be attested"],
  ["GET", "/plugin_attest", "Images are known by their digest: name one in the compose file"],
  ["GET", "/authorizedKeys", "Keys for SSH are in ~/.ssh/authorized_keys of the router's users"],
  [
    "PUT",
    "/authorizedKeys",
    "Write keys for SSH into ~/.ssh/authorized_keys of the router's users",
  ],
];

function elsewhere([method, path, why]: (typeof ELSEWHERE)[number]): Route {
  return route({
    ...COMMON,
    method,
    path,
    summary: "Not done by this router",
    description: `The response is always 501: ${why}.`,
    errors: [501],
  }, () => {
    throw new Problem(501, why);
  });
}
