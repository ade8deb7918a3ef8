import { z } from "zod";
import { InterfaceName } from "../../system/core/net/grammar.ts";
import type { Machine } from "../../system/core/machine/machine.ts";
import { formatPing } from "../../system/machine/ping.ts";
import { Target, TargetPort } from "../../system/core/machine/schema.ts";
import { type Route, route } from "../http/route.ts";

/** What pings need from outside. */
export interface PingDeps {
  readonly machine: () => Machine;
}

/** Pings from a link of the router. */
export function pingRoutes({ machine }: PingDeps): Route[] {
  const common = {
    method: "PUT",
    tag: "Diagnostics",
    access: "auth",
    response: z.array(z.string()),
    errors: [502, 503],
  } as const;
  return [
    route(
      {
        ...common,
        path: "/ping/{interface}/{address}",
        summary: "Ping a host four times; round-trip time of each reply",
        params: z.object({ interface: InterfaceName, address: Target }),
      },
      async ({ params }) =>
        formatPing(await machine().ping({ link: params.interface, address: params.address })),
    ),
    route(
      {
        ...common,
        path: "/ping/{interface}/{address}/udp",
        summary: "Send a UDP datagram to a host's port four times; round-trip time of each reply",
        params: z.object({ interface: InterfaceName, address: TargetPort }),
      },
      async ({ params }) =>
        formatPing(await machine().ping({ link: params.interface, ...params.address })),
    ),
  ];
}
