import type { Config } from "../../system/config.ts";
import { notFound, Problem } from "../../system/core/errors/problem.ts";
import { CheckResult, CountryRules, RadioFactsList } from "../../system/wifi/control_schema.ts";
import { plannedRadio } from "../../system/wifi/plan.ts";
import { accessPointProblem } from "../../system/wifi/radio/abilities.ts";
import { bandOfChannel, type ChannelParameters } from "../../system/wifi/radio/channel_rules.ts";
import type { Width } from "../../system/wifi/radio/channels.ts";
import { firstSettings } from "../../system/wifi/radio/first_settings.ts";
import { settingsOf } from "../../system/wifi/radio/rules.ts";
import type { RadioSettings } from "../../system/wifi/radio/settings_schema.ts";
import { channelProblem } from "../../system/wifi/regulatory/permitted.ts";
import type { ServiceClient } from "../http/service_client.ts";
import { ask, Refusal } from "./service_call.ts";

/**
 * What hostapd, the radio and the country say of a configuration before it is decided. Throws Problem 503
 * with the name of the package where hostapd or iw is missing.
 */
export interface Verdicts {
  /** Throws Problem 400 with hostapd's words, or why the radio or the country does not permit it. */
  requireAccepted(config: Config, name: string): Promise<void>;
  /** Throws Problem 400 where the country does not permit a channel. */
  requirePermitted(country: string, wish: ChannelParameters): Promise<void>;
  /**
   * First settings of a radio, as it can have them. Throws Problem 404 for an interface that is neither
   * a radio nor an access point, 400 for a radio that cannot be one.
   */
  firstSettings(config: Config, name: string): Promise<RadioSettings>;
}

/** The verdicts by wifid; while it is away there is none, and what is decided is tried later. */
export function verdictsOf(wifid: ServiceClient): Verdicts {
  return {
    async requireAccepted(config, name) {
      const link = config.interfaces.find(({ Name, Type }) => Name === name && Type === "AP");
      if (link === undefined) return;
      const radio = plannedRadio(link, settingsOf(config, name));
      const verdict = await whereRunning(
        ask(wifid, CheckResult, { method: "PUT", path: "/check", body: { radio } }),
      );
      if (verdict !== null && verdict.problem !== "") {
        throw new Problem(400, `${name}: ${verdict.problem}`);
      }
    },

    async requirePermitted(country, wish) {
      const rules = await whereKnown(
        ask(wifid, CountryRules, { path: `/countries/${country}` }),
      );
      if (rules === null) return;
      const problem = channelProblem(rules.channels, {
        country,
        band: bandOfChannel(wish),
        channel: wish.Channel,
        width: wish.Bandwidth === 8080 ? 80 : wish.Bandwidth as Width,
      });
      if (problem !== null) throw new Problem(400, problem);
    },

    async firstSettings(config, name) {
      const list = await whereRunning(ask(wifid, RadioFactsList, { path: "/radios" }));
      const radio = list?.items.find((one) => one.name === name) ?? null;
      const isPoint = config.interfaces.some(({ Name, Type }) => Name === name && Type === "AP");
      if (list !== null && radio === null && !isPoint) {
        const names = list.items.map((one) => one.name).join(", ");
        throw notFound(
          `There is no radio ${name}; ${names === "" ? "plug one in" : `use ${names}`}`,
        );
      }
      const inability = radio === null ? null : accessPointProblem(radio);
      if (inability !== null) throw new Problem(400, inability);
      const known = config.radios[name] ?? Object.values(config.radios)[0];
      return firstSettings(name, { radio, country: known?.country_code });
    },
  };
}

/** Null while wifid is away. What it lacks itself, such as hostapd, is a Problem. */
async function whereRunning<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Problem && error.status === 503 && !(error instanceof Refusal)) {
      return null;
    }
    throw error;
  }
}

/** Null where wifid is away, or has no database that knows of it. */
async function whereKnown<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Problem && (error.status === 503 || error.status === 404)) return null;
    throw error;
  }
}
