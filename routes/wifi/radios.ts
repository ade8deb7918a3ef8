import * as z from "zod";
import type { Config } from "../../system/config.ts";
import { UnicastMac } from "../../system/devices/schema.ts";
import { radioOf, WifiClient, wifiClient } from "../../system/wifi/client_rules.ts";
import {
  Countries,
  CountryRules,
  RadioFacts,
  RadioFactsList,
  StationsOnAir,
} from "../../system/wifi/control_schema.ts";
import { notFound } from "../../system/core/errors/problem.ts";
import { InterfaceName } from "../../system/core/net/grammar.ts";
import { plannedRadio } from "../../system/wifi/plan.ts";
import { settingsOf } from "../../system/wifi/radio/rules.ts";
import { type PlannedBss, RadioState } from "../../system/wifi/plan_schema.ts";
import { CountryCode, ssidBytes } from "../../system/wifi/radio/settings_schema.ts";
import { type Route, route } from "../http/route.ts";
import type { HostapdDeps } from "./hostapd.ts";
import { ask } from "./service_call.ts";

/** A radio of the machine: what it can do, and what it does. */
const Radio = RadioFacts.extend({
  /** Role of the interface; "" none yet. */
  type: z.string(),
  enabled: z.boolean(),
  /** Null while it is not on. */
  state: RadioState.nullable(),
}).meta({ id: "Radio" });

/** Radios of the machine. */
const Radios = z.object({
  items: z.array(Radio),
  /** Country of the regulatory domain that holds now. */
  country: z.string(),
  /** Version of hostapd; "" while it is not installed. */
  hostapd: z.string(),
}).meta({ id: "Radios" });

/** A network that the radios have, or would have if they were on. */
const WifiNetwork = z.object({
  /** `wlan0`; `wlan0.ap0` for an additional one. */
  name: z.string(),
  radio: z.string(),
  ssid: z.string(),
  /** Its radio is on. */
  enabled: z.boolean(),
  /** The first of its radio. */
  main: z.boolean(),
  security: z.array(z.enum(["open", "WPA", "WPA2", "WPA3"])),
  /** `device`: each device has its own; `shared`: one for all; `none`: an open network. */
  password: z.enum(["device", "shared", "none"]),
  /** Devices reach each other only where a policy or a group permits it. */
  isolated: z.boolean(),
  /** Identity of the pending device whose WPA3 password is in force; "" none. */
  waiting: z.string(),
}).meta({ id: "WifiNetwork" });

function networkOf(
  plan: PlannedBss,
  radio: Pick<z.input<typeof WifiNetwork>, "radio" | "enabled" | "main" | "waiting">,
): z.input<typeof WifiNetwork> {
  const { wpa, keyManagement, password } = plan;
  const psk = keyManagement.some((word) => word !== "SAE");
  return {
    ...radio,
    name: plan.name,
    ssid: nameOf(plan),
    security: wpa === 0 ? ["open"] : [
      ...(wpa === 1 ? ["WPA" as const] : psk ? ["WPA2" as const] : []),
      ...(keyManagement.includes("SAE") ? ["WPA3" as const] : []),
    ],
    password: wpa === 0 ? "none" : password === "" ? "device" : "shared",
    isolated: plan.isolated,
  };
}

/** Plans of all networks, those of radios that are off among them. */
function networksOf({ interfaces, radios }: Pick<Config, "interfaces" | "radios">) {
  return interfaces.filter(({ Type }) => Type === "AP")
    .flatMap((link) => plannedRadio(link, settingsOf({ radios }, link.Name)).networks);
}

/** Name of a network as people read it. */
function nameOf({ ssid, ssidHex }: Pick<PlannedBss, "ssid" | "ssidHex">): string {
  return new TextDecoder().decode(ssidBytes({ ssid, ssid_hex: ssidHex }));
}

/** The radios of the machine and the channels of countries. */
export function radioRoutes({ engine, wifid, radios }: HostapdDeps): Route[] {
  const common = { method: "GET", tag: "Wireless", access: "auth", duringSetup: true } as const;
  return [
    route({
      ...common,
      path: "/wifi/radios",
      summary: "Radios of the router",
      description: "Every radio that the kernel has, with its bands, channels, role and state.",
      response: Radios,
      errors: [502, 503],
    }, async () => {
      const found = await ask(wifid, RadioFactsList, { path: "/radios" });
      return {
        ...found,
        items: found.items.map((facts) => {
          const link = engine.config.interfaces.find(({ Name }) => Name === facts.name);
          return {
            ...facts,
            type: link?.Type ?? "",
            enabled: link?.Enabled ?? false,
            state: radios.of(facts.name) ?? null,
          };
        }),
      };
    }),
    route({
      ...common,
      path: "/wifi/networks",
      summary: "Wi-Fi networks of the router",
      description: "Names and security of every network, those of radios that are off among them.",
      response: z.object({ items: z.array(WifiNetwork) }),
    }, () => ({
      items: engine.config.interfaces.filter(({ Type }) => Type === "AP").flatMap((link) =>
        plannedRadio(link, settingsOf(engine.config, link.Name)).networks.map((plan, at) =>
          networkOf(plan, {
            radio: link.Name,
            enabled: link.Enabled,
            main: at === 0,
            waiting: at === 0 ? radios.of(link.Name)?.waiting ?? "" : "",
          })
        )
      ),
    })),
    route({
      ...common,
      duringSetup: false,
      access: "otp",
      path: "/wifi/networks/{network}/password",
      summary: "Password that all devices of a network share",
      description:
        "The only response that shows it; every other one masks it. Networks with a password per device, " +
        "and open ones, have none: 404.",
      params: z.object({ network: InterfaceName }),
      response: z.object({ password: z.string() }),
      examples: { response: { password: "come in, friend" } },
      errors: [404],
    }, ({ params }) => {
      const password = networksOf(engine.config)
        .find(({ name }) => name === params.network)?.password ?? "";
      if (password === "") throw notFound(`${params.network} has no password that devices share`);
      return { password };
    }),
    route({
      ...common,
      duringSetup: false,
      path: "/wifi/clients",
      compresses: true,
      summary: "Wi-Fi clients",
      description:
        "Devices that have joined a network, with signal, rates, and how often frames to them were sent " +
        "once more. `mac` asks for one alone.",
      query: z.object({ mac: z.union([UnicastMac, z.literal("")]).default("") }),
      response: z.object({ items: z.array(WifiClient) }),
      errors: [502, 503],
    }, async ({ query }) => {
      const path = `/stations?${new URLSearchParams(query)}`;
      const { items } = await ask(wifid, StationsOnAir, { path });
      const names = new Map(networksOf(engine.config).map((plan) => [plan.name, nameOf(plan)]));
      return {
        items: items.map((one) =>
          wifiClient(one, {
            ssid: names.get(one.network) ?? "",
            frequency: radios.of(radioOf(one.network))?.frequency ?? 0,
          })
        ),
      };
    }),
    route({
      ...common,
      path: "/wifi/countries",
      summary: "Countries whose rules are known",
      description: "Two letters each, by the installed regulatory database.",
      response: Countries,
      examples: { response: { items: ["DE", "US"] } },
      errors: [503],
    }, () => ask(wifid, Countries, { path: "/countries" })),
    route({
      ...common,
      path: "/wifi/countries/{country}",
      summary: "Channels that a country permits",
      description: "What an access point may use there: channels, widths and power.",
      params: z.object({ country: CountryCode }),
      response: CountryRules,
      errors: [404, 503],
    }, ({ params }) => ask(wifid, CountryRules, { path: `/countries/${params.country}` })),
  ];
}
