import * as z from "zod";
import { InterfaceName } from "../../system/core/net/grammar.ts";
import type { Machine } from "../../system/core/machine/machine.ts";
import { formatPing } from "../../system/machine/ping.ts";
import { Target, TargetPort } from "../../system/core/machine/schema.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link pingRoutes}. */
export interface PingDeps {
  readonly machine: () => Machine;
}

/** Pings from an interface of the router. */
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
        summary: "Ping a host",
        description:
          "Sends four echo requests from the interface and returns the round-trip time " +
          "of each, such as `12.3ms`, or `timeout`.",
        examples: {
          parameters: { address: "192.168.2.10" },
          response: ["1.204ms", "1.187ms", "1.31ms", "timeout"],
        },
        params: z.object({ interface: InterfaceName, address: Target }),
      },
      async ({ params }) =>
        formatPing(await machine().ping({ link: params.interface, address: params.address })),
    ),
    route(
      {
        ...common,
        path: "/ping/{interface}/{address}/udp",
        summary: "Ping a UDP port",
        description:
          "Sends four datagrams to `address:port` and returns the time until each reply, " +
          "or `timeout`. A closed port replies at once (ICMP).",
        examples: {
          parameters: { address: "192.168.2.10:33434" },
          response: ["1.204ms", "1.187ms", "1.31ms", "timeout"],
        },
        params: z.object({ interface: InterfaceName, address: TargetPort }),
      },
      async ({ params }) =>
        formatPing(await machine().ping({ link: params.interface, ...params.address })),
    ),
  ];
}
