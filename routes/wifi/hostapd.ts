import * as z from "zod";
import type { Config } from "../../system/config.ts";
import type { ChangeEngine } from "../../system/core/engine/change.ts";
import { InterfaceName } from "../../system/core/net/grammar.ts";
import { UnicastMac } from "../../system/devices/schema.ts";
import { StationLines, StatusLines } from "../../system/wifi/control_schema.ts";
import { ExtraBssRequest } from "../../system/wifi/extra_bss_schema.ts";
import {
  calculateChannel,
  channelOnRadio,
  ChannelParameters,
  ChannelResult,
  channelSwitch,
} from "../../system/wifi/radio/channel_rules.ts";
import { FlatSettings, flatSettings } from "../../system/wifi/radio/flat_settings.ts";
import {
  accessPointOf,
  disableRadio,
  enableRadio,
  extraBssSecrets,
  removeExtraBss,
  resetRadio,
  setExtraBss,
  settingsOf,
  updateRadio,
} from "../../system/wifi/radio/rules.ts";
import { RadioUpdate } from "../../system/wifi/radio/update_schema.ts";
import type { RadioStates } from "../../system/wifi/radio_states.ts";
import { type Route, route } from "../http/route.ts";
import type { MeshParts } from "../mesh/deps.ts";
import type { ServiceClient } from "../http/service_client.ts";
import { ask, order } from "./service_call.ts";
import { verdictsOf } from "./verdicts.ts";

/** What the routes of access points need from outside. */
export interface HostapdDeps {
  readonly engine: Pick<ChangeEngine<Config>, "config">;
  /** wifid's control socket. */
  readonly wifid: ServiceClient;
  readonly radios: Pick<RadioStates, "of">;
  readonly mesh: Pick<MeshParts, "refresh">;
}

const common = { tag: "Wireless", access: "auth" } as const;
const params = z.object({ interface: InterfaceName });
const live = { ...common, params, errors: [404, 502, 503] } as const;
const settings = {
  ...common,
  params,
  document: "radios",
  errors: [404, 409, 412, 502, 503],
} as const;
const role = { ...settings, document: "interfaces" } as const;

/** Access points: their settings, their state and their stations. */
export function hostapdRoutes({ engine, wifid, radios, mesh }: HostapdDeps): Route[] {
  const verdicts = verdictsOf(wifid);
  return [
    route({
      ...live,
      method: "GET",
      path: "/hostapd/{interface}/status",
      duringSetup: true,
      summary: "State of an access point",
      description: "hostapd's own status lines; additional networks are named `wlan0.ap0`.",
      response: StatusLines,
    }, ({ params }) => ask(wifid, StatusLines, { path: `/bss/${params.interface}/status` })),
    route({
      ...live,
      method: "GET",
      path: "/hostapd/{interface}/all_stations",
      summary: "Stations of an access point",
      description: "hostapd's lines of each station, by MAC address in lower case.",
      response: StationLines,
    }, ({ params }) => ask(wifid, StationLines, { path: `/bss/${params.interface}/stations` })),
    route({
      ...settings,
      method: "GET",
      path: "/hostapd/{interface}/config",
      duringSetup: true,
      summary: "Settings of a radio",
      description: "Keys as hostapd's file has them. Passwords are not among them.",
      response: FlatSettings,
    }, ({ params }) => {
      accessPointOf(engine.config, params.interface);
      return flatSettings(params.interface, settingsOf(engine.config, params.interface));
    }),
    route({
      ...settings,
      method: "PUT",
      path: "/hostapd/{interface}/config",
      duringSetup: true,
      summary: "Change settings of a radio",
      description:
        "Fields that are left out stay unchanged, unknown ones are ignored. A configuration that " +
        "hostapd or the country does not accept is refused with 400 and the reason, and the running " +
        "one stays. Stations reconnect when it takes effect. Security changes only when the radio " +
        "moves to or from 6 GHz.",
      examples: { body: { Ssid: "home", Channel: 36, Hw_mode: "a", Country_code: "US" } },
      body: RadioUpdate,
      response: FlatSettings,
    }, async (call) => {
      const { interface: name } = call.params;
      accessPointOf(engine.config, name);
      const [next] = updateRadio(engine.config, name, call.body);
      await verdicts.requireAccepted(next, name);
      return await call.decide({
        kind: "wifi.radio",
        summary: `Changed the Wi-Fi settings of ${name}`,
        reduce: (config) => updateRadio(config, name, call.body),
      }, (result) => flatSettings(name, result));
    }),
    route({
      ...role,
      method: "PUT",
      path: "/hostapd/{interface}/enable",
      duringSetup: true,
      summary: "Turn an access point on",
      description:
        "A radio that has no settings yet gets those that fit its bands, and the country of the others. " +
        "Settings that hostapd, the radio or the country does not accept are refused as with " +
        "`PUT /hostapd/{interface}/config`. A body has settings that it changes at the same time.",
      examples: { body: { Ssid: "home", Country_code: "US" } },
      body: RadioUpdate,
      bodyOptional: true,
    }, async (call) => {
      const { params: { interface: name }, body = {} } = call;
      const first = await verdicts.firstSettings(engine.config, name);
      const on = (config: Config): [Config, void] => {
        const [enabled] = enableRadio(config, name, first);
        return [updateRadio(enabled, name, body)[0], undefined];
      };
      await verdicts.requireAccepted(on(engine.config)[0], name);
      return await call.decide({
        kind: "wifi.enable",
        summary: `Turned on the access point ${name}`,
        reduce: on,
      });
    }),
    route({
      ...role,
      method: "PUT",
      path: "/hostapd/{interface}/disable",
      summary: "Turn an access point off",
      description: "Its stations are disconnected; its settings stay.",
    }, (call) =>
      call.decide({
        kind: "wifi.disable",
        summary: `Turned off the access point ${call.params.interface}`,
        reduce: (config) => disableRadio(config, call.params.interface),
      })),
    route({
      ...settings,
      method: "PUT",
      path: "/hostapd/{interface}/resetConfiguration",
      summary: "Give a radio its first settings again",
      description:
        "Those that fit its bands. The country stays; the old settings are in the change history.",
    }, async (call) => {
      const { interface: name } = call.params;
      accessPointOf(engine.config, name);
      const first = await verdicts.firstSettings(engine.config, name);
      const [next] = resetRadio(engine.config, name, first);
      await verdicts.requireAccepted(next, name);
      return await call.decide({
        kind: "wifi.reset",
        summary: `Reset the Wi-Fi settings of ${name}`,
        reduce: (config) => resetRadio(config, name, first),
      });
    }),
    route({
      ...role,
      method: "PUT",
      path: "/hostapd/{interface}/enableExtraBSS",
      summary: "Set the additional network of a radio",
      description: "A second name on the same radio, with a password per device or one for all " +
        "(`GuestPassword`). `Wpa` 0 is an open network. The mask `**` leaves the password.",
      examples: {
        body: {
          Ssid: "guests",
          Bssid: "02:00:00:00:0a:01",
          Wpa: "2",
          GuestPassword: "come in, friend",
        },
      },
      body: ExtraBssRequest,
    }, async (call) => {
      const { interface: name } = call.params;
      const [next] = setExtraBss(engine.config, name, call.body);
      await verdicts.requireAccepted(next, name);
      return await call.decide({
        kind: "wifi.network",
        summary: `Set the additional network ${call.body.Ssid} of ${name}`,
        secrets: () => extraBssSecrets(name, call.body),
        reduce: (config) => setExtraBss(config, name, call.body),
      });
    }),
    route({
      ...role,
      method: "DELETE",
      path: "/hostapd/{interface}/enableExtraBSS",
      summary: "Remove the additional network of a radio",
      description: "Its stations are disconnected.",
    }, (call) =>
      call.decide({
        kind: "wifi.network",
        summary: `Removed the additional network of ${call.params.interface}`,
        reduce: (config) => removeExtraBss(config, call.params.interface),
      })),
    route(
      {
        ...common,
        method: "GET",
        path: "/hostapd/{interface}/failsafe",
        params,
        summary: "Whether a radio runs with safe settings",
        description:
          "`failsafe running` while the radio could not be started with its own settings; otherwise `ok`.",
        response: z.enum(["ok", "failsafe running"]),
      },
      ({ params }) => radios.of(params.interface)?.state === "failsafe" ? "failsafe running" : "ok",
    ),
    route(
      {
        ...live,
        method: "PUT",
        path: "/hostapd/{interface}/deauth",
        summary: "Disconnect a station",
        description: "The body is its MAC address as a JSON string. It may join again at once.",
        examples: { body: "02:00:00:00:0a:01" },
        body: UnicastMac,
      },
      ({ params, body }) =>
        order(wifid, { path: `/bss/${params.interface}/deauth`, body: { MAC: body } }),
    ),
    route({
      ...live,
      method: "PUT",
      path: "/hostapd/{interface}/setChannel",
      duringSetup: true,
      summary: "Change the channel of a running radio",
      description:
        "Announced to the stations, which follow. The settings stay, so that the next start uses " +
        "their channel. A channel that the country does not permit is 400; a reason of hostapd's is passed on.",
      examples: {
        body: { Mode: "a", Channel: 36, Bandwidth: 80, HT_Enable: true, VHT_Enable: true },
      },
      body: ChannelParameters,
      response: ChannelResult,
    }, async ({ params, body }) => {
      const radio = settingsOf(engine.config, params.interface);
      const wish = channelOnRadio(radio, body);
      const change = channelSwitch(wish);
      await verdicts.requirePermitted(radio.country_code, wish);
      await order(wifid, { path: `/radios/${params.interface}/channel`, body: change });
      return calculateChannel(wish);
    }),
    route({
      ...common,
      method: "PUT",
      path: "/hostapd/calcChannel",
      duringSetup: true,
      summary: "Compute centre and width of a channel",
      description:
        "What `PUT /hostapd/{interface}/config` takes for a channel. Nothing is changed. A channel or " +
        "width that does not exist is 400.",
      examples: {
        body: { Mode: "a", Channel: 36, Bandwidth: 80, HT_Enable: true, VHT_Enable: true },
      },
      body: ChannelParameters,
      response: ChannelResult,
    }, ({ body }) => calculateChannel(body)),
    ...(["restart", "restart_setup"] as const).map((name) =>
      route({
        ...common,
        method: "PUT",
        path: `/hostapd/${name}`,
        duringSetup: true,
        summary: name === "restart"
          ? "Restart every access point"
          : "Restart the setup access point",
        description: "Stations are disconnected and join again.",
        errors: [502, 503],
      }, () => order(wifid, { path: "/restart", body: { name: "" } }))
    ),
    route({
      ...common,
      method: "PUT",
      path: "/hostapd/syncMesh",
      summary: "Send the devices to the mesh",
      description:
        "Sends every leaf router the devices again, whether they changed or not, and responds at once.",
    }, () => mesh.refresh()),
  ];
}
