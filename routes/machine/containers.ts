import * as z from "zod";
import type { Programs, RunningProgram } from "../../system/core/process/programs.ts";
import type { Releases } from "../../system/machine/releases.ts";
import { notFound } from "../../system/core/errors/problem.ts";
import {
  Container,
  ContainerNetwork,
  VirtualMachines,
} from "../../system/core/machine/container_schema.ts";
import type { Machine } from "../../system/core/machine/machine.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link containersRoutes}. */
export interface ContainersDeps {
  readonly machine: () => Pick<Machine, "containers" | "networks" | "virtualMachines">;
  readonly programs: Pick<Programs, "list">;
  readonly releases: Pick<Releases, "current">;
}

/** Processes by the names that existing clients use. */
const SERVICES: Readonly<Record<string, string>> = {
  dns: "dnsd",
  dhcp: "dhcpd",
  dhcp_client: "uplinkd",
  multicast_udp_proxy: "multicastd",
  base: "netd",
};

/** Processes of the program, containers and virtual machines. */
export function containersRoutes({ machine, programs, releases }: ContainersDeps): Route[] {
  const common = { method: "GET", tag: "System", access: "auth" } as const;
  return [
    route({
      ...common,
      path: "/info/docker",
      summary: "Processes and containers",
      description:
        "Lists Sluice's own processes in the form of containers, followed by the containers of the " +
        "machine's container engine.",
      response: z.array(Container),
      errors: [502],
    }, async () => [
      ...(await programs.list()).map((one) => asContainer(one, releases.current)),
      ...await machine().containers(),
    ]),
    route({
      ...common,
      path: "/info/dockernetworks",
      summary: "Container networks",
      description:
        "Networks of the machine's container engine with their subnets; an empty list where there " +
        "is no engine.",
      response: z.array(ContainerNetwork),
      errors: [502],
    }, async () => [...await machine().networks()]),
    route({
      ...common,
      path: "/info/vms",
      summary: "Virtual machines",
      description:
        "Virtual machines that run as processes of this machine, sorted by name. What is unknown of " +
        "one is null or empty.",
      response: VirtualMachines,
      errors: [502, 503],
    }, () => machine().virtualMachines()),
    route({
      ...common,
      path: "/dockerPS",
      summary: "Whether a process runs",
      description:
        "Answers a text with one line of JSON per running process of this name, as `docker ps` " +
        "would; 404 if it does not run.",
      examples: {
        parameters: { service: "dns", compose_file: "" },
        response: '{"Name":"dnsd","Service":"dnsd","State":"running"}',
      },
      query: z.object({
        service: z.string().max(128).default(""),
        compose_file: z.string().max(512).default(""),
      }),
      response: z.string(),
      errors: [404],
    }, ({ query: { service } }) => processLines(programs, service)),
  ];
}

/** A line of JSON for each process of this name that runs, "" for all. Throws Problem 404 for none. */
export async function processLines(
  programs: ContainersDeps["programs"],
  service: string,
): Promise<string> {
  const name = SERVICES[service] ?? service;
  const running = (await programs.list()).filter((one) =>
    one.state === "running" && (name === "" || one.name === name)
  );
  if (running.length === 0) throw notFound(`No process ${service} runs`);
  return running.map(({ name, state }) =>
    JSON.stringify({ Name: name, Service: name, State: state })
  ).join("\n");
}

function asContainer({ name, state, pid, since }: RunningProgram, version: string): Container {
  return {
    Id: pid === null ? name : `${name}-${pid}`,
    Names: [`/${name}`],
    Image: `sluice:${version}`,
    State: state,
    Status: state,
    Created: Math.floor(since / 1000),
    NetworkSettings: { Networks: {} },
  };
}
