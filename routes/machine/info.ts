import type { Context } from "hono";
import * as z from "zod";
import type { Config } from "../../system/config.ts";
import { formatUptime } from "../../system/machine/rules.ts";
import { HostName, Resources } from "../../system/machine/schema.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import { conflict, invalid } from "../../system/core/errors/problem.ts";
import type { Machine } from "../../system/core/machine/machine.ts";
import { SocketEntry } from "../../system/core/machine/schema.ts";
import { refuseRecordName } from "../../system/dns/local/hostname_rules.ts";
import { flag } from "../http/decide.ts";
import { hostOf, namesAtHome, requestHost } from "../http/host_names.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link infoRoutes}. */
export interface InfoDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly machine: () => Machine;
  /** Features of this router: `dns`, `wifi`, `ppp`, `wireguard`. */
  readonly features: readonly string[];
  /** Seconds since the machine was started, and its load over 1, 5 and 15 minutes. */
  readonly load: () => { readonly seconds: number; readonly load: readonly number[] };
  /** What the machine has of memory, processors and disk, in bytes, and what is left. */
  readonly resources: () => Promise<Omit<Resources, "Load">>;
  /** The machine's own name. */
  readonly machineName: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * A UI opened by the removed name could not undo this. Throws Problem 409; the machine's own name
 * and addresses stay valid.
 */
function keepReachable(c: Context, { chosen, next, machine }: {
  readonly chosen: string;
  readonly next: string;
  readonly machine: string;
}): void {
  const host = hostOf(requestHost(c.req.raw));
  const stays = [next, machine].flatMap(namesAtHome);
  if (chosen === "" || host === null || stays.includes(host)) return;
  if (!namesAtHome(chosen).includes(host)) return;
  throw conflict(`You call the router ${host} yourself; call it by its address, or force it`);
}

/** Facts about the machine. */
export function infoRoutes(deps: InfoDeps): Route[] {
  const { engine, machine } = deps;
  const common = { method: "GET", tag: "System", access: "auth" } as const;
  return [
    route({
      ...common,
      path: "/features",
      summary: "Features of this router",
      description:
        "Names of what this router supports: `dns`, `wifi`, `ppp`, `wireguard`. Clients hide what " +
        "is missing.",
      examples: { response: ["dns", "wifi", "ppp", "wireguard"] },
      response: z.array(z.string()),
    }, () => deps.features),
    route({
      ...common,
      path: "/info/uptime",
      compresses: true,
      summary: "Uptime and load of the machine",
      description:
        "Returns the time, the seconds since the machine started, and its load over 1, 5 and 15 " +
        "minutes.",
      examples: {
        response: {
          time: "08:30:00",
          uptime: "3 days, 4:05",
          uptime_total_seconds: 273_900,
          load_1m: 0.12,
          load_5m: 0.1,
          load_15m: 0.08,
        },
      },
      response: z.record(z.string(), z.union([z.string(), z.number()])),
    }, () => formatUptime({ ...deps.load(), at: new Date(deps.now()) })),
    route({
      ...common,
      path: "/info/resources",
      compresses: true,
      summary: "Processor, memory and disk",
      description:
        "Load over the last minute beside the number of processors, and bytes of memory and of the " +
        "disk that holds the configuration, with what is left of them.",
      response: Resources,
    }, async () => ({ Load: deps.load().load[0] ?? 0, ...await deps.resources() })),
    route({
      ...common,
      path: "/info/hostname",
      summary: "The router's name",
      description: "The chosen host name, or that of the machine while none was chosen.",
      examples: { response: "router" },
      document: "hostName",
      response: z.string(),
    }, () => engine.config.hostName || deps.machineName()),
    route({
      ...common,
      method: "PUT",
      path: "/info/hostname",
      summary: "Set the router's name",
      description:
        "Takes the new name as a JSON string of one label. Refused with 409 if a device has it, or " +
        "if the caller uses the old name to connect, unless forced.",
      examples: { body: "router" },
      document: "hostName",
      body: HostName,
      errors: [409],
    }, (call) => {
      if (call.body === "") throw invalid("", "Write a name");
      if (!flag(call.c, "dryRun") && !flag(call.c, "force")) {
        const chosen = engine.config.hostName;
        keepReachable(call.c, { chosen, next: call.body, machine: deps.machineName() });
      }
      return call.decide({
        kind: "hostname.set",
        summary: `Renamed the router to ${call.body}`,
        reduce: (config) => {
          if (config.hostName === call.body) return [config, undefined];
          refuseRecordName(config, call.body);
          return [{ ...config, hostName: call.body }, undefined];
        },
      });
    }),
    route({
      ...common,
      path: "/info/ss",
      summary: "IPv4 sockets of the machine",
      description:
        "Lists open IPv4 sockets with their state, addresses and ports, as `ss` prints them.",
      response: z.array(SocketEntry),
      errors: [502, 503],
    }, () => machine().sockets()),
  ];
}
