import {
  learn,
  observed,
  proposalRecord,
  proposeTransition,
  remember,
  type RoamingMemory,
  type SteerableStation,
  type SteeringRadio,
} from "../../../system/wifi/roaming/steering.ts";
import type { RoamingConfig } from "../../../system/wifi/roaming/schema.ts";

/** A simulated house: access points at fixed places, and stations that walk about. */
export interface HouseOptions {
  readonly seed: number;
  /** Seconds to simulate. */
  readonly seconds: number;
  readonly stations: number;
}

/** How stations are steered; called once per step. Answers whom to send where, or null. */
export type Steering = (house: House) => { readonly mac: string; readonly target: string } | null;

/** What a way of steering achieved. */
export interface HouseResult {
  /** Mean signal quality of all stations over time, less what transitions cost. */
  readonly reward: number;
  readonly requests: number;
  readonly succeeded: number;
}

/** Seconds of a step. */
export const STEP = 15;

interface Walker {
  readonly mac: string;
  /** Whether it follows transition requests. */
  readonly obedient: boolean;
  /** Whether it drops off the network when it is sent elsewhere. */
  readonly fragile: boolean;
  radio: string;
  x: number;
  y: number;
  goal: readonly [number, number];
  /** Steps for which it is off the network. */
  away: number;
}

const POSITIONS: Readonly<Record<string, readonly [number, number]>> = {
  wlan0: [4, 5],
  wlan1: [20, 5],
};
const SSID = "home";
/** Metres that a station walks in a step, at most. */
const STRIDE = 6;
/** A station by itself leaves a radio only below this signal, in dBm. */
const STICKY_DBM = -84;
/** Steps without network when a fragile station is sent elsewhere. */
const OUTAGE_STEPS = 2;

/** mulberry32, a generator of uniform numbers from 0 up to below 1 (Tommy Ettinger, public domain). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A house as a way of steering sees it. */
class House {
  readonly radios: readonly SteeringRadio[] = Object.keys(POSITIONS).map((name) => ({
    name,
    ssid: SSID,
  }));
  readonly #random: () => number;
  readonly #walkers: Walker[];
  /** Unix milliseconds. */
  now = Date.UTC(2026, 0, 1);

  constructor({ seed, stations }: HouseOptions) {
    this.#random = seededRandom(seed);
    this.#walkers = Array.from({ length: stations }, (_, n) => ({
      mac: `02:00:00:00:00:${(n + 1).toString(16).padStart(2, "0")}`,
      obedient: this.#random() < 0.6,
      fragile: this.#random() < 0.25,
      radio: this.#random() < 0.5 ? "wlan0" : "wlan1",
      x: this.#random() * 24,
      y: this.#random() * 10,
      goal: [this.#random() * 24, this.#random() * 10] as const,
      away: 0,
    }));
  }

  /** Signals as the access points measure them. */
  get stations(): readonly SteerableStation[] {
    return this.#walkers.filter(({ away }) => away === 0)
      .map((one) => ({ mac: one.mac, radio: one.radio, rssi: this.signal(one.mac, one.radio) }));
  }

  /** Signal in dBm that a station would have on a radio: log-distance path loss through walls. */
  signal(mac: string, radio: string): number {
    const { x, y } = this.#walkers.find((one) => one.mac === mac)!;
    const [ax, ay] = POSITIONS[radio]!;
    const distance = Math.max(1, Math.hypot(x - ax, y - ay));
    return Math.max(-99, Math.min(-30, Math.round(-38 - 34 * Math.log10(distance))));
  }

  /** Where a station is now, or null. */
  find(mac: string): SteerableStation | null {
    return this.stations.find((one) => one.mac === mac) ?? null;
  }

  /** Asks a station to change; it may not. */
  request(mac: string, target: string): void {
    const one = this.#walkers.find((walker) => walker.mac === mac)!;
    if (one.fragile) one.away = OUTAGE_STEPS;
    else if (one.obedient && this.signal(mac, target) > -90) one.radio = target;
  }

  /** One step: stations walk, and leave a radio that they hardly hear. */
  step(): void {
    this.now += STEP * 1000;
    for (const one of this.#walkers) {
      const [gx, gy] = one.goal;
      const rest = Math.hypot(gx - one.x, gy - one.y);
      const stride = Math.min(rest, this.#random() * STRIDE);
      if (rest > 0) {
        one.x += (gx - one.x) / rest * stride;
        one.y += (gy - one.y) / rest * stride;
      }
      // People stay where they are for most of the time.
      if (rest <= stride && this.#random() < 0.1) {
        one.goal = [this.#random() * 24, this.#random() * 10];
      }
      if (one.away > 0) one.away -= 1;
      else if (this.signal(one.mac, one.radio) < STICKY_DBM) {
        const [best] = this.radios.map(({ name }) => name)
          .toSorted((a, b) => this.signal(one.mac, b) - this.signal(one.mac, a));
        one.radio = best!;
      }
    }
  }

  /** Sum of the signal quality of the stations that are on the network. */
  quality(): number {
    return this.stations.reduce((sum, { rssi }) => sum + 100 + rssi, 0);
  }
}

/** Never steers. */
export const neverSteer = (): Steering => () => null;

/** Sends the weakest station to whichever radio it would hear best, again and again. */
export const alwaysSteer = (threshold: number): Steering => (house) => {
  const weak = house.stations.filter(({ rssi }) => rssi <= threshold)
    .toSorted((a, b) => a.rssi - b.rssi);
  for (const { mac, radio, rssi } of weak) {
    const [best] = house.radios.filter(({ name }) => name !== radio)
      .toSorted((a, b) => house.signal(mac, b.name) - house.signal(mac, a.name));
    if (best !== undefined && house.signal(mac, best.name) > rssi) {
      return { mac, target: best.name };
    }
  }
  return null;
};

/** The bandit of the product, over a memory that grows with the house. */
export function banditSteer(config: RoamingConfig, seed: number): Steering {
  const random = seededRandom(seed);
  let memory: RoamingMemory = { history: [], model: {} };
  let count = 0;
  return (house) => {
    const { now, stations, radios } = house;
    for (const record of memory.history.filter(({ State }) => State === "sent")) {
      if (now - Date.parse(record.RequestedAt) < config.ObservationDelaySeconds * 1000) continue;
      const found = house.find(record.MAC);
      memory = learn(memory, observed(record, { at: found, now }));
    }
    const proposal = proposeTransition(memory, config, { stations, radios, now, random });
    if (proposal === null) return null;
    const id = `${now}-${++count}`;
    memory = remember(memory, proposalRecord(proposal, { id, now, dryRun: config.DryRun }));
    return { mac: proposal.station.mac, target: proposal.target };
  };
}

/** Lives in a house for a while under a way of steering. */
export function liveIn(options: HouseOptions, steering: Steering): HouseResult {
  const house = new House(options);
  let reward = 0, requests = 0, succeeded = 0, steps = 0;
  for (let at = 0; at < options.seconds; at += STEP) {
    house.step();
    const act = steering(house);
    if (act !== null) {
      requests += 1;
      house.request(act.mac, act.target);
      if (house.find(act.mac)?.radio === act.target) succeeded += 1;
    }
    reward += house.quality() / options.stations;
    steps += 1;
  }
  return { reward: reward / steps, requests, succeeded };
}
