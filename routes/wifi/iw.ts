import * as z from "zod";
import { InterfaceName } from "../../system/core/net/grammar.ts";
import { IwDevices, IwNeighbour, IwRadio, IwRegulatory } from "../../system/wifi/iw/schema.ts";
import { type Route, route } from "../http/route.ts";
import type { ServiceClient } from "../http/service_client.ts";
import { ask, SCAN_TIMEOUT_MS } from "./service_call.ts";

/** What `iw` shows of radios, interfaces, the regulatory domain and networks around. */
export function iwRoutes({ wifid }: { readonly wifid: ServiceClient }): Route[] {
  const common = {
    method: "GET",
    tag: "Wireless",
    access: "auth",
    duringSetup: true,
    errors: [502, 503],
  } as const;
  return [
    route({
      ...common,
      path: "/iw/list",
      summary: "Radios and what they can do",
      description: "The output of `iw list`, one entry per radio.",
      response: z.array(IwRadio),
    }, () => ask(wifid, z.array(IwRadio), { path: "/iw/list" })),
    route({
      ...common,
      path: "/iw/dev",
      summary: "Wireless interfaces by radio",
      description: "The output of `iw dev`.",
      response: IwDevices,
    }, () => ask(wifid, IwDevices, { path: "/iw/dev" })),
    route({
      ...common,
      path: "/iw/reg",
      summary: "Regulatory domain that holds now",
      description: "The output of `iw reg get`, for all radios.",
      response: IwRegulatory,
    }, () => ask(wifid, IwRegulatory, { path: "/iw/reg" })),
    route(
      {
        ...common,
        path: "/iw/dev/{interface}/scan",
        summary: "Scan for networks",
        description:
          "Scans all channels, which takes some seconds. Only an interface in managed mode can: 400 for an access " +
          "point that is on the air. Names come from the air: treat them as untrusted text.",
        params: z.object({ interface: InterfaceName }),
        response: z.array(IwNeighbour),
      },
      ({ params }) =>
        ask(wifid, z.array(IwNeighbour), {
          path: `/iw/dev/${params.interface}/scan`,
          timeoutMs: SCAN_TIMEOUT_MS,
        }),
    ),
  ];
}
