import type { Context } from "hono";
import * as z from "zod";
import type { Config } from "../../system/config.ts";
import { Problem } from "../../system/core/errors/problem.ts";
import { leafOf, REPORT_TOKEN_NAME } from "../../system/mesh/rules.ts";
import type { Caller, ChangeEngine } from "../../system/core/engine/change.ts";
import {
  FailureEcho,
  StationDisconnect,
  StationEcho,
  StationFailure,
  StationSuccess,
} from "../../system/wifi/schema.ts";
import { RadioReport, WifiPlan } from "../../system/wifi/plan_schema.ts";
import { SupplicantReport } from "../../system/wifi/supplicant/schema.ts";
import type { SupplicantStates } from "../../system/wifi/supplicant/states.ts";
import type { RadioStates } from "../../system/wifi/radio_states.ts";
import type { Stations } from "../../system/wifi/stations.ts";
import { type Route, route } from "../http/route.ts";
import { type TopologyDeps, topologyRoutes } from "../topology.ts";

/** Dependencies of {@link stationReportRoutes}. */
export interface WifiDeps extends TopologyDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  readonly stations: Stations;
  readonly radios: Pick<RadioStates, "take">;
  readonly supplicants: Pick<SupplicantStates, "take">;
  /** Waits for another plan than the known one. */
  readonly plan: (known: string) => Promise<WifiPlan>;
}

/** Station reports: of access points on their socket, of mesh nodes with a token. */
export function stationReportRoutes(
  { stations, engine, reporter }: Pick<WifiDeps, "stations" | "engine"> & {
    /**
     * The leaf that the token of a request was made for; null for none, and for other tokens. Absent where
     * no tokens are used.
     */
    readonly reporter?: (c: Context) => Promise<string | null>;
  },
): Route[] {
  /** The token of a leaf router speaks for that router alone. Throws Problem 403. */
  const requireLeaf = async (
    { c, caller, body: { Router } }: {
      readonly c: Context;
      readonly caller: Caller;
      readonly body: { readonly Router: string };
    },
  ) => {
    if (caller.by !== `token:${REPORT_TOKEN_NAME}`) return;
    const leaf = leafOf(engine.config.mesh, Router);
    if (leaf === null) {
      throw new Problem(403, `${Router || "This router"} is no leaf router of this parent`);
    }
    if (reporter === undefined) return;
    const own = await reporter(c);
    if (own === null) {
      throw new Problem(403, "This token was made for no leaf router of this parent");
    }
    if (leafOf(engine.config.mesh, own) === leaf) return;
    throw new Problem(403, `This token is that of the leaf router ${own}, not of ${Router}`);
  };
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
      errors: [403, 409],
    }, async ({ c, body, caller }) => {
      await requireLeaf({ c, body, caller });
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
    }, async ({ c, body, caller }) => {
      await requireLeaf({ c, body, caller });
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
    }, async ({ c, body, caller }) => {
      await requireLeaf({ c, body, caller });
      await stations.gone(body);
      const { Iface, Event, MAC, Router } = body;
      return { Iface, Event, MAC, Status: "Okay", Router };
    }),
  ];
}

/** Routes of the access points' socket. */
export function wifiSocketRoutes(deps: WifiDeps): Route[] {
  const text = { tag: "Wireless reports", access: "auth", mediaType: "text/plain" } as const;
  const points = () =>
    deps.engine.config.interfaces.filter(({ Type, Enabled }) => Type === "AP" && Enabled);
  return [
    ...stationReportRoutes(deps),
    ...topologyRoutes(deps),
    route({
      method: "GET",
      path: "/plan",
      tag: "Wireless",
      access: "auth",
      summary: "Plan that wifid works from",
      description:
        "Waits until the plan differs from the one whose tag is sent as `known`, then returns the " +
        "radios that are on, and the passwords of the devices.",
      query: z.object({ known: z.string().max(64).default("") }),
      response: WifiPlan,
    }, ({ query }) => deps.plan(query.known)),
    route({
      method: "PUT",
      path: "/radios",
      tag: "Wireless",
      access: "auth",
      summary: "Report the state of the radios",
      description: "All radios that are on. A problem opens a notice, its end resolves it.",
      body: RadioReport,
    }, ({ body }) => deps.radios.take(body)),
    route({
      method: "PUT",
      path: "/supplicants",
      tag: "Wireless",
      access: "auth",
      summary: "Report the state of the uplinks by Wi-Fi",
      description:
        "Takes the state of all of them. One that does not connect opens a notice, its end resolves it.",
      body: SupplicantReport,
    }, ({ body }) => deps.supplicants.take(body)),
    route({
      ...text,
      method: "GET",
      path: "/interfaces",
      summary: "Interface names of the enabled access points",
      description: "Plain text for shell scripts: each name is followed by a blank.",
      examples: { response: "wlan0 wlan1 " },
      response: z.string(),
    }, () => names(points().map(({ Name }) => Name))),
    route({
      ...text,
      method: "GET",
      path: "/interfaces_virtual_bss",
      summary: "Names of the additional networks of the enabled access points",
      description: "Plain text for shell scripts: each name is followed by a blank.",
      examples: { response: "wlan0.ap0 " },
      response: z.string(),
    }, () =>
      names(
        points().filter(({ ExtraBSS }) => ExtraBSS.length > 0).map(({ Name }) => `${Name}.ap0`),
      )),
  ];
}

function names(list: readonly string[]): Response {
  return new Response(list.map((name) => `${name} `).join(""), {
    headers: { "content-type": "text/plain; charset=utf-8" },
  });
}
