import type { Row } from "../table.ts";
import { lighthouseScores } from "./lighthouse.ts";
import { pageTimes } from "./pages.ts";
import { pageWeights } from "./weights.ts";

/** What the pages weigh, how soon they answer on a slow machine, and what Lighthouse says of them. */
export async function ui(): Promise<readonly Row[]> {
  return [...await pageWeights(), ...await pageTimes(), ...await lighthouseScores()];
}
