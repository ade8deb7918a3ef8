import * as z from "zod";
import { InterfaceName } from "../../system/core/net/grammar.ts";
import { UnicastMac } from "../../system/devices/schema.ts";
import {
  ChannelSwitch,
  CheckRequest,
  CheckResult,
  Countries,
  CountryRules,
  RadioFactsList,
  RestartRequest,
  StationLines,
  StationsOnAir,
  StatusLines,
} from "../../system/wifi/control_schema.ts";
import { DfsReport } from "../../system/wifi/air/schema.ts";
import { IwDevices, IwNeighbour, IwRadio, IwRegulatory } from "../../system/wifi/iw/schema.ts";
import { CountryCode } from "../../system/wifi/radio/settings_schema.ts";
import { RoamingModel, RoamingRecord, RoamingStatus } from "../../system/wifi/roaming/schema.ts";
import { TransitionRequest, TransitionResult } from "../../system/wifi/roaming/transition_rules.ts";
import type { Wifid } from "../../system/wifi/wifid.ts";
import { type Route, route } from "../http/route.ts";

const ServiceStatus = z.object({ Ready: z.boolean() });

/** wifid's own socket. */
export function wifiControlSocketRoutes(wifid: Omit<Wifid, "stop">): Route[] {
  const common = { tag: "Wireless", access: "auth" } as const;
  const network = z.object({ name: InterfaceName });
  const errors = [404, 502, 503];
  return [
    route({
      ...common,
      method: "GET",
      path: "/status",
      summary: "Whether wifid is ready",
      description: "Responds as soon as the socket is open.",
      response: ServiceStatus,
      examples: { response: { Ready: true } },
    }, () => ({ Ready: true })),
    route({
      ...common,
      method: "GET",
      path: "/radios",
      summary: "Radios of this machine",
      description: "What the kernel says of each radio: modes, bands, and channels of the country.",
      response: RadioFactsList,
      errors: [502, 503],
    }, () => wifid.radios()),
    route({
      ...common,
      method: "GET",
      path: "/countries",
      summary: "Countries of the regulatory database",
      description: "Two letters each, of the installed wireless-regdb.",
      response: Countries,
      examples: { response: { items: ["DE", "US"] } },
      errors: [503],
    }, () => wifid.countries()),
    route({
      ...common,
      method: "GET",
      path: "/countries/{country}",
      summary: "Channels that a country permits",
      description: "For access points, by the installed wireless-regdb.",
      params: z.object({ country: CountryCode }),
      response: CountryRules,
      errors: [404, 503],
    }, ({ params }) => wifid.country(params.country)),
    route({
      ...common,
      method: "GET",
      path: "/bss/{name}/status",
      summary: "hostapd's status of a network",
      description: "The lines of `STATUS`, by their keys.",
      params: network,
      response: StatusLines,
      errors,
    }, ({ params }) => wifid.status(params.name)),
    route({
      ...common,
      method: "GET",
      path: "/bss/{name}/stations",
      summary: "Stations of a network",
      description: "hostapd's lines of each station, by MAC address.",
      params: network,
      response: StationLines,
      errors,
    }, ({ params }) => wifid.stations(params.name)),
    route({
      ...common,
      method: "GET",
      path: "/stations",
      summary: "Stations of all networks",
      description:
        "hostapd's lines of each station that has joined, and what the kernel counts of it. `mac` asks " +
        "for one alone.",
      query: z.object({ mac: z.union([UnicastMac, z.literal("")]).default("") }),
      response: StationsOnAir,
      errors: [502, 503],
    }, ({ query }) => wifid.stationsOnAir(query.mac)),
    route({
      ...common,
      method: "PUT",
      path: "/bss/{name}/deauth",
      summary: "Disconnect a station",
      description: "A station that is not there is no error.",
      params: network,
      body: z.object({ MAC: UnicastMac }),
      errors,
    }, ({ params, body }) => wifid.disconnect(params.name, body.MAC)),
    route({
      ...common,
      method: "PUT",
      path: "/stations/forget",
      summary: "Forget a station that is at another router",
      description:
        "`Seconds`: for how long it has been there. Networks that it joined before that forget it; nothing " +
        "is sent to it.",
      body: z.object({ MAC: UnicastMac, Seconds: z.int().min(0) }),
      errors: [502, 503],
    }, ({ body }) => wifid.forgetElsewhere(body.MAC, body.Seconds)),
    route({
      ...common,
      method: "PUT",
      path: "/radios/{name}/channel",
      summary: "Change the channel of a radio",
      description: "Announced to the stations first; the configuration stays as it is.",
      params: network,
      body: ChannelSwitch,
      errors,
    }, ({ params, body }) => wifid.switchChannel(params.name, body)),
    route({
      ...common,
      method: "PUT",
      path: "/check",
      summary: "Let hostapd check a configuration",
      description:
        "hostapd reads it without touching a radio. `problem` has its message; it is empty for none.",
      body: CheckRequest,
      response: CheckResult,
      errors: [502, 503],
    }, ({ body }) => wifid.check(body.radio)),
    route({
      ...common,
      method: "PUT",
      path: "/restart",
      summary: "Start hostapd anew",
      description: "For one radio, or for all where `name` is empty.",
      body: RestartRequest,
      errors,
    }, ({ body }) => wifid.restart(body.name)),
    route({
      ...common,
      method: "GET",
      path: "/roaming/status",
      summary: "State of client steering",
      description: "Settings that are in force, and how much is remembered.",
      response: RoamingStatus,
    }, () => wifid.steering.status),
    route({
      ...common,
      method: "GET",
      path: "/roaming/history",
      summary: "History of client steering",
      description: "Requests and recommendations, newest first.",
      response: z.array(RoamingRecord),
    }, () => [...wifid.steering.history]),
    route({
      ...common,
      method: "GET",
      path: "/roaming/model",
      summary: "Model of client steering",
      description: "Mean rewards by station, radios and range of the signal.",
      response: RoamingModel,
    }, () => ({ ...wifid.steering.model })),
    route(
      {
        ...common,
        method: "PUT",
        path: "/bss-transition",
        summary: "Offer a station another radio",
        description:
          "Sent by hostapd as a BSS transition request, after the checks of both networks.",
        body: TransitionRequest.extend({ SourceInterface: InterfaceName }),
        response: TransitionResult,
        errors,
      },
      ({ body }) => wifid.steering.transition(body.SourceInterface, body.MAC, body.TargetInterface),
    ),
    route({
      ...common,
      method: "GET",
      path: "/iw/list",
      summary: "Radios as iw lists them",
      description: "The output of `iw list`, as JSON.",
      response: z.array(IwRadio),
      errors: [502, 503],
    }, () => wifid.iwList()),
    route({
      ...common,
      method: "GET",
      path: "/iw/dev",
      summary: "Wireless interfaces as iw lists them",
      description: "The output of `iw dev`, as JSON.",
      response: IwDevices,
      errors: [502, 503],
    }, () => wifid.iwDevices()),
    route({
      ...common,
      method: "GET",
      path: "/iw/reg",
      summary: "Regulatory domain as iw shows it",
      description: "The output of `iw reg get`, as JSON.",
      response: IwRegulatory,
      errors: [502, 503],
    }, () => wifid.iwRegulatory()),
    route({
      ...common,
      method: "GET",
      path: "/iw/dev/{name}/scan",
      summary: "Networks around",
      description:
        "Scans all channels, which takes some seconds. An access point cannot scan while it is on air, unless `force` lets it leave its channel.",
      params: network,
      query: z.object({ force: z.enum(["true", "false"]).default("false") }),
      response: z.array(IwNeighbour),
      errors: [502, 503],
    }, ({ params, query }) => wifid.iwScan(params.name, query.force === "true")),
    route({
      ...common,
      method: "GET",
      path: "/dfs",
      summary: "What radar did, and DFS states of channels",
      description: "By hostapd's events since the start of wifid, and by the kernel's own states.",
      response: DfsReport,
      errors: [502, 503],
    }, () => wifid.dfs()),
  ];
}
