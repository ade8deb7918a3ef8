import * as z from "zod";
import { notFound, Problem, sentence } from "../../system/core/errors/problem.ts";
import { InterfaceName } from "../../system/core/net/grammar.ts";
import type { AirScans } from "../../system/wifi/air/scans.ts";
import { radioAir } from "../../system/wifi/air/radio_air.ts";
import { DfsReport, RadioAir } from "../../system/wifi/air/schema.ts";
import { CountryRules, type RadioFacts, RadioFactsList } from "../../system/wifi/control_schema.ts";
import { IwDevices, IwNeighbour } from "../../system/wifi/iw/schema.ts";
import { settingsOf } from "../../system/wifi/radio/rules.ts";
import { type Route, route } from "../http/route.ts";
import type { HostapdDeps } from "./hostapd.ts";
import { ask, SCAN_TIMEOUT_MS } from "./service_call.ts";

/** What the routes of the air need from outside. */
export interface AirDeps extends Pick<HostapdDeps, "engine" | "wifid" | "radios"> {
  readonly scans: AirScans;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Who uses which channel around the radios, which is best, and what radar did. */
export function airRoutes({ engine, wifid, radios, scans, now }: AirDeps): Route[] {
  const common = { tag: "Wireless", access: "auth", errors: [404, 502, 503] } as const;

  /** The air of radios that are access points, or of one. */
  async function airOf(name: string | null): Promise<RadioAir[]> {
    const [list, devices, dfs] = await Promise.all([
      ask(wifid, RadioFactsList, { path: "/radios" }),
      ask(wifid, IwDevices, { path: "/iw/dev" }),
      ask(wifid, DfsReport, { path: "/dfs" }),
    ]);
    const own = new Set(
      Object.values(devices).flatMap((links) => Object.values(links))
        .flatMap(({ addr }) => addr === undefined ? [] : [addr.toLowerCase()]),
    );
    const points = list.items.filter((facts) =>
      name === null ? isPoint(facts) : facts.name === name
    );
    return await Promise.all(points.map(async (facts) => {
      const settings = settingsOf(engine.config, facts.name);
      return radioAir({
        facts,
        settings,
        own,
        enabled: isPoint(facts),
        frequency: radios.of(facts.name)?.frequency ?? 0,
        scan: scans.of(facts.name),
        dfs: dfs.items.find(({ radio }) => radio === facts.name) ?? null,
        country: await rulesOf(settings.country_code),
        others: list.items.filter((one) => one.name !== facts.name)
          .map((one) => radios.of(one.name)?.frequency ?? 0),
      });
    }));
  }

  const isPoint = ({ name }: RadioFacts): boolean =>
    engine.config.interfaces.some((one) => one.Name === name && one.Type === "AP" && one.Enabled);

  async function rulesOf(country: string): Promise<CountryRules["channels"] | null> {
    try {
      return (await ask(wifid, CountryRules, { path: `/countries/${country}` })).channels;
    } catch (error) {
      // Without a database the radio's own channels count.
      if (error instanceof Problem) return null;
      throw error;
    }
  }

  return [
    route({
      ...common,
      method: "GET",
      path: "/wifi/air",
      summary: "Who uses which channel around the access points",
      description:
        "Networks that the last scan of each radio found, how much they take of each channel, the " +
        "channel that is best and why, and what radar did. Names are untrusted text.",
      response: z.object({ items: z.array(RadioAir) }),
    }, async () => ({ items: await airOf(null) })),
    route({
      ...common,
      method: "PUT",
      path: "/wifi/air/{interface}/scan",
      summary: "Listen for other networks on all channels",
      description:
        "Takes some seconds, in which an access point leaves its channel again and again. A radio that " +
        "cannot do that is 502, with iw's message.",
      params: z.object({ interface: InterfaceName }),
      response: RadioAir,
    }, async ({ params }) => {
      const name = params.interface;
      const path = `/iw/dev/${name}/scan?force=true`;
      const items = await ask(wifid, z.array(IwNeighbour), {
        path,
        timeoutMs: SCAN_TIMEOUT_MS,
      });
      scans.take(name, { at: now(), items });
      const [air] = await airOf(name);
      if (air === undefined) throw notFound(sentence("There is no radio {name}", { name }));
      return air;
    }),
  ];
}
