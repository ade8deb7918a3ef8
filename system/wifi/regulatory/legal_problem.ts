import { Problem } from "../../core/errors/problem.ts";
import type { PlannedRadio } from "../plan_schema.ts";
import { bandOf, channelWidth } from "../radio/modes.ts";
import { installedRegulatory } from "./installed.ts";
import { channelProblem, permittedChannels } from "./permitted.ts";

/** What the country forbids of a plan; null nothing, or where no database is installed. */
export async function legalProblem({ settings }: PlannedRadio): Promise<string | null> {
  const known = await installedRegulatory().catch((error) => {
    if (error instanceof Problem) return null;
    throw error;
  });
  if (known === null) return null;
  const rules = known.get(settings.country_code);
  if (rules === undefined) {
    return `The regulatory database knows no country ${settings.country_code}`;
  }
  return channelProblem(permittedChannels(rules), {
    country: settings.country_code,
    band: bandOf(settings),
    channel: settings.channel,
    width: channelWidth(settings),
  });
}
