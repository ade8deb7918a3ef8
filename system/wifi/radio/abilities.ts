import type { RadioFacts } from "../control_schema.ts";
import type { PlannedRadio } from "../plan_schema.ts";
import { bandOf } from "./modes.ts";

/**
 * Why a radio cannot follow a plan, by what the kernel says of it; null where it can. `country`: the one
 * whose rules the kernel applies now.
 */
export function radioProblem(
  plan: PlannedRadio,
  radio: RadioFacts,
  country: string,
): string | null {
  const { name, settings, networks } = plan;
  const { channel } = settings;
  const inability = accessPointProblem(radio);
  if (inability !== null) return inability;
  if (networks.length > radio.networks) {
    return `${name} can have ${radio.networks} network${radio.networks === 1 ? "" : "s"} at a time`;
  }
  const band = bandOf(settings);
  const own = radio.bands.find((one) => one.band === band);
  if (own === undefined) {
    const bands = radio.bands.map((one) => `${one.band} GHz`).join(" and ");
    return `${name} has no ${band} GHz; it has ${bands || "no band that is known"}`;
  }
  if (channel === 0) return null;
  const found = own.channels.find((one) => one.channel === channel);
  if (found === undefined) return `${name} has no channel ${channel} at ${band} GHz`;
  // Rules of another country say nothing of those that are to come.
  if (country !== settings.country_code) return null;
  if (found.use === "disabled") return `${name} cannot use channel ${channel} in ${country}`;
  return found.use === "passive"
    ? `No access point may begin to send on channel ${channel} of ${name} in ${country}`
    : null;
}

/** Why a radio cannot be an access point at all; null where it can. */
export function accessPointProblem(
  { name, accessPoint, perStation }: Pick<RadioFacts, "name" | "accessPoint" | "perStation">,
): string | null {
  if (!accessPoint) return `${name} cannot be an access point: its driver has no mode AP`;
  return perStation
    ? null
    : `${name} cannot give each station an interface of its own: its driver has no mode AP/VLAN`;
}
