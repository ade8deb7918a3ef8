import * as z from "zod";
import { notFound } from "../../../system/core/errors/problem.ts";
import { Container, ContainerNetwork } from "../../../system/core/machine/container_schema.ts";
import type { Machine } from "../../../system/core/machine/machine.ts";
import { pluginOfCompose } from "../../../system/plugins/rules.ts";
import { type Route, route } from "../../http/route.ts";
import { processLines } from "../../machine/containers.ts";
import { COMMON, FAULTS, Target } from "./common.ts";
import type { ContainerDeps } from "./containers.ts";

/** What is read of the container engine. */
export function engineRoutes(
  { engine, programs, machine, plugins: { containers } }: ContainerDeps & {
    readonly machine: () => Machine;
  },
): Route[] {
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
  ];
}
