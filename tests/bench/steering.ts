import { DEFAULT_ROAMING, type RoamingConfig } from "../../system/wifi/roaming/schema.ts";
import {
  alwaysSteer,
  banditSteer,
  type HouseResult,
  liveIn,
  neverSteer,
} from "../kit/wifi/house.ts";
import { median, type Row } from "./table.ts";

const HOUSES = 5;
/** Ten hours in which people walk about. */
const SECONDS = 36_000;
const STATIONS = 12;

/** Steering that sends requests, and tries some to learn from. */
const CONFIG: RoamingConfig = {
  ...DEFAULT_ROAMING,
  DryRun: false,
  RSSIThresholdDBM: -68,
  CooldownSeconds: 120,
  MaxTransitionsPerHour: 100,
  ExplorationRate: 0.05,
};

/**
 * The reward of client steering: the mean signal quality of all stations over ten hours in simulated
 * houses, a station that is thrown off counting nothing. The same houses for each way of steering.
 */
// deno-lint-ignore require-await -- parts are asynchronous
export async function steering(): Promise<readonly Row[]> {
  const rewards = { bandit: [] as number[], never: [] as number[], always: [] as number[] };
  const requests = { bandit: [] as number[], always: [] as number[] };
  for (let seed = 1; seed <= HOUSES; seed++) {
    const house = { seed, seconds: SECONDS, stations: STATIONS };
    const bandit: HouseResult = liveIn(house, banditSteer(CONFIG, seed));
    const always = liveIn(house, alwaysSteer(CONFIG.RSSIThresholdDBM));
    rewards.bandit.push(bandit.reward);
    rewards.always.push(always.reward);
    rewards.never.push(liveIn(house, neverSteer()).reward);
    requests.bandit.push(bandit.requests);
    requests.always.push(always.requests);
  }
  const row = (what: "never" | "always", beside: string): Row => ({
    what: `steering: reward beside ${beside}`,
    ours: median(rewards.bandit),
    baseline: median(rewards[what]),
    unit: "points",
    beside,
    aim: 1,
  });
  return [
    row("never", "never steering"),
    row("always", "always the stronger signal"),
    {
      what: "steering: requests in ten hours",
      ours: median(requests.bandit),
      baseline: median(requests.always),
      unit: "requests",
      beside: "always the stronger signal",
      aim: 1,
    },
  ];
}
