import { z } from "zod";
import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import {
  FailureEcho,
  StationDisconnect,
  StationEcho,
  StationFailure,
  StationSuccess,
} from "../../system/wifi/schema.ts";
import type { Stations } from "../../system/wifi/stations.ts";
import { type Route, route } from "../http/route.ts";

/** Dependencies of {@link stationReportRoutes}. */
export interface WifiDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly stations: Stations;
}

/** Station reports: of access points on their socket, of mesh nodes with a token. */
export function stationReportRoutes({ stations }: Pick<WifiDeps, "stations">): Route[] {
  const common = { method: "PUT", tag: "Wireless reports", access: "auth" } as const;
  return [
    route({
      ...common,
      path: "/reportPSKAuthSuccess",
      summary: "Report that a station associated",
      description:
        "Sent by access points after a successful association. A station that used the password of " +
        "a pending device gives that device its MAC address.",
      body: StationSuccess,
      response: StationEcho,
      errors: [409],
    }, async ({ body }) => {
      const Status = await stations.succeeded(body);
      const { Iface, Event, MAC, Router } = body;
      return { Iface, Event, MAC, Status, Router };
    }),
    route({
      ...common,
      path: "/reportPSKAuthFailure",
      summary: "Report that a station used a wrong password",
      description:
        "Publishes an event, so that the page can show which device fails to join. Nothing is " +
        "stored.",
      body: StationFailure,
      response: FailureEcho,
    }, ({ body }) => {
      stations.failed(body);
      return body;
    }),
    route({
      ...common,
      path: "/reportDisconnect",
      summary: "Report that a station disassociated",
      description: "Marks the device as offline until it associates or renews its lease again.",
      body: StationDisconnect,
      response: StationEcho,
    }, async ({ body }) => {
      await stations.gone(body);
      const { Iface, Event, MAC, Router } = body;
      return { Iface, Event, MAC, Status: "Okay", Router };
    }),
  ];
}

/** Routes of the access points' socket. */
export function wifiSocketRoutes(deps: WifiDeps): Route[] {
  return [
    ...stationReportRoutes(deps),
    route({
      method: "GET",
      path: "/interfaces",
      summary: "Interface names of the enabled access points",
      description: "Plain text for shell scripts: each name is followed by a blank.",
      examples: { response: "wlan0 wlan1 " },
      tag: "Wireless reports",
      access: "auth",
      response: z.string(),
      mediaType: "text/plain",
    }, () => {
      const names = deps.engine.config.interfaces
        .filter(({ Type, Enabled }) => Type === "AP" && Enabled)
        .map(({ Name }) => `${Name} `);
      return new Response(names.join(""), {
        headers: { "content-type": "text/plain; charset=utf-8" },
      });
    }),
  ];
}
