import * as z from "zod";
import { InterfaceName } from "../../system/core/net/grammar.ts";
import {
  RoamingConfig,
  RoamingModel,
  RoamingRecord,
  RoamingStatus,
} from "../../system/wifi/roaming/schema.ts";
import { TransitionRequest, TransitionResult } from "../../system/wifi/roaming/transition_rules.ts";
import { type Route, route } from "../http/route.ts";
import type { HostapdDeps } from "./hostapd.ts";
import { ask } from "./service_call.ts";

/** Bytes of a request, as existing clients know them. */
const MAX_TRANSITION_BODY = 16 << 10;
const MAX_CONFIG_BODY = 64 << 10;
/** Milliseconds for both radios and the station to be looked at, and the request to be sent. */
const TRANSITION_TIMEOUT_MS = 20_000;

/** Client steering between the radios. */
export function roamingRoutes({ engine, wifid }: HostapdDeps): Route[] {
  const common = { tag: "Wireless", access: "auth" } as const;
  const settings = {
    ...common,
    path: "/hostapd/roaming/config",
    document: "roaming",
    response: RoamingConfig,
  } as const;
  return [
    route({
      ...settings,
      method: "GET",
      summary: "Settings of client steering",
      description: "Stations with a weak signal may be offered another radio of the same name.",
    }, () => ({ ...engine.config.roaming })),
    route({
      ...settings,
      method: "PUT",
      summary: "Set client steering",
      description:
        "Replaces all settings; unknown fields are refused. Without `DryRun` nothing is sent to " +
        "stations, only recommended.",
      body: RoamingConfig,
      maxBody: MAX_CONFIG_BODY,
      errors: [409, 412],
    }, (call) =>
      call.decide({
        kind: "wifi.roaming",
        summary: call.body.DryRun
          ? "Set client steering to recommend only"
          : "Turned client steering on",
        reduce: (config) => [{ ...config, roaming: call.body }, call.body],
      }, (result) => ({ ...result }))),
    route({
      ...common,
      method: "GET",
      path: "/hostapd/roaming/status",
      summary: "State of client steering",
      description:
        "Enabled while two radios with the same network name offer transitions (`Bss_transition`).",
      response: RoamingStatus,
      errors: [502, 503],
    }, () => ask(wifid, RoamingStatus, { path: "/roaming/status" })),
    route({
      ...common,
      method: "GET",
      path: "/hostapd/roaming/history",
      summary: "History of client steering",
      description: "Requests and recommendations with their outcome, newest first.",
      response: z.array(RoamingRecord),
      errors: [502, 503],
    }, () => ask(wifid, z.array(RoamingRecord), { path: "/roaming/history" })),
    route({
      ...common,
      method: "GET",
      path: "/hostapd/roaming/model",
      summary: "What client steering has learned",
      description: "The mean reward by station, radios and range of the signal.",
      response: RoamingModel,
      errors: [502, 503],
    }, () => ask(wifid, RoamingModel, { path: "/roaming/model" })),
    route({
      ...common,
      method: "PUT",
      path: "/hostapd/{interface}/bssTransition",
      summary: "Offer a station another radio",
      description:
        "Advice by 802.11v, which the station may ignore. Refused with 400 and the reason where the " +
        "radios do not fit each other.",
      params: z.object({ interface: InterfaceName }),
      body: TransitionRequest,
      maxBody: MAX_TRANSITION_BODY,
      response: TransitionResult,
      errors: [404, 502, 503],
    }, ({ params, body }) =>
      ask(wifid, TransitionResult, {
        method: "PUT",
        path: "/bss-transition",
        timeoutMs: TRANSITION_TIMEOUT_MS,
        body: { SourceInterface: params.interface, ...body },
      })),
  ];
}
