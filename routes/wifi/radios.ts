import { z } from "zod";
import {
  Countries,
  CountryRules,
  RadioFacts,
  RadioFactsList,
} from "../../system/wifi/control_schema.ts";
import { RadioState } from "../../system/wifi/plan_schema.ts";
import { CountryCode } from "../../system/wifi/radio/settings_schema.ts";
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

/** The radios of the machine and the channels of countries. */
export function radioRoutes({ engine, wifid, radios }: HostapdDeps): Route[] {
  const common = { method: "GET", tag: "Wireless", access: "auth" } as const;
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
