import {
  NOT_OBSERVED,
  type RoamingConfig,
  type RoamingModel,
  type RoamingRecord,
  type TransitionState,
} from "./schema.ts";

/*
 * Client steering as a contextual bandit. A station with a weak signal may be offered another radio
 * of the same network (802.11v, BSS transition). The context is the station, its radio and the range
 * of its signal; an arm is a target radio; the reward is the quality of the signal afterwards. No
 * transition is forced: a station that ignores requests teaches the model to leave it alone.
 */

/** A station, as an access point reports it. */
export interface SteerableStation {
  readonly mac: string;
  readonly radio: string;
  /** Signal in dBm; 0 not known. */
  readonly rssi: number;
}

/** A radio that stations may be on. */
export interface SteeringRadio {
  readonly name: string;
  readonly ssid: string;
}

/** History, newest first, and model. */
export interface RoamingMemory {
  readonly history: readonly RoamingRecord[];
  readonly model: RoamingModel;
}

/** A transition that the model proposes. */
export interface Proposal {
  readonly station: SteerableStation;
  readonly target: string;
  readonly origin: "auto" | "auto_explore";
}

/** What a decision depends on besides memory and settings. */
export interface SteeringView {
  readonly stations: readonly SteerableStation[];
  readonly radios: readonly SteeringRadio[];
  /** Unix milliseconds. */
  readonly now: number;
  /** From 0 up to below 1. */
  readonly random: () => number;
}

/** Records that the history holds. */
export const MAX_HISTORY = 500;
/** Arms that the model holds; those not updated for the longest time go first. */
export const MAX_ARMS = 5000;

const HOUR_MS = 3_600_000;

/** Signal quality that a radio reports for any station in reach: 0 at -100 dBm. */
function quality(rssi: number): number {
  return 100 + rssi;
}

/** True for a signal that an access point can have measured. */
function isSignal(rssi: number): boolean {
  return Number.isInteger(rssi) && rssi >= -100 && rssi <= -1;
}

/** Lower end in dBm of the 10 dB range that a signal falls into; 0 for signals from 0 up. */
export function signalBucket(rssi: number): number {
  return Math.min(0, Math.floor(rssi / 10) * 10);
}

/** Key of an arm. */
export function armKey(mac: string, source: string, target: string, rssi: number): string {
  return [mac, source, target, signalBucket(rssi)].join("|");
}

/**
 * The transition to request now, or null. At most one for all radios together, for the station with
 * the weakest signal that a limit does not exclude. In a dry run a station for which the model knows
 * nothing is given its first candidate by name, so that the history shows what steering would act on.
 */
export function proposeTransition(
  memory: RoamingMemory,
  config: RoamingConfig,
  view: SteeringView,
): Proposal | null {
  const { now } = view;
  let live = 0;
  const resting = new Set<string>();
  // One loop, since reading the time of a record is most of what a decision costs.
  for (const one of memory.history) {
    const past = age(one, now);
    if (!one.DryRun && past < HOUR_MS) live++;
    if (isAwaited(one) || past < config.CooldownSeconds * 1000) resting.add(one.MAC);
  }
  if (!config.DryRun && live >= config.MaxTransitionsPerHour) return null;
  const weak = view.stations
    .filter(({ mac, rssi }) =>
      isSignal(rssi) && rssi <= config.RSSIThresholdDBM && !resting.has(mac)
    )
    .toSorted((a, b) => a.rssi - b.rssi || (a.mac < b.mac ? -1 : 1));
  for (const station of weak) {
    const candidates = candidatesOf(station, config, view.radios);
    const proposal = choose(station, candidates, memory.model, config, view.random);
    if (proposal !== null) return proposal;
  }
  return null;
}

/** True while the outcome of a request is awaited. */
export function isAwaited({ State }: RoamingRecord): boolean {
  return State === "sent";
}

function age(record: RoamingRecord, now: number): number {
  return now - Date.parse(record.RequestedAt);
}

/** Names of the radios of the same network that a station may be offered, in order. */
function candidatesOf(
  { radio }: SteerableStation,
  { AllowedInterfaces }: RoamingConfig,
  radios: readonly SteeringRadio[],
): readonly string[] {
  const source = radios.find(({ name }) => name === radio);
  if (source === undefined || source.ssid === "") return [];
  return radios
    .filter(({ name, ssid }) => name !== radio && ssid === source.ssid)
    .map(({ name }) => name)
    .filter((name) => AllowedInterfaces.length === 0 || AllowedInterfaces.includes(name))
    .toSorted();
}

function choose(
  station: SteerableStation,
  candidates: readonly string[],
  model: RoamingModel,
  config: RoamingConfig,
  random: () => number,
): Proposal | null {
  if (candidates.length === 0) return null;
  if (random() < config.ExplorationRate) {
    const target = candidates[Math.floor(random() * candidates.length)]!;
    return { station, target, origin: "auto_explore" };
  }
  const known = candidates.flatMap((target) => {
    const arm = model[armKey(station.mac, station.radio, target, station.rssi)];
    return arm === undefined ? [] : [{ target, value: arm.Value }];
  }).toSorted((a, b) => b.value - a.value);
  const best = known[0];
  if (
    best !== undefined && best.value >= quality(station.rssi) + config.MinimumImprovementDBM
  ) return { station, target: best.target, origin: "auto" };
  return config.DryRun ? { station, target: candidates[0]!, origin: "auto" } : null;
}

/** Where a station is after the observation delay; null when no radio has it. */
export interface Observation {
  readonly at: { readonly radio: string; readonly rssi: number } | null;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Reward of an ignored request, of a station that left for another radio, and of one that is gone. */
const REWARDS = { ignored: -15, moved_elsewhere: -25, offline: -100 } as const;

/** The record of a request with its outcome. */
export function observed(record: RoamingRecord, { at, now }: Observation): RoamingRecord {
  const common = { ...record, ObservedAt: new Date(now).toISOString() };
  if (at === null) return { ...common, State: "offline", Reward: REWARDS.offline };
  const position = {
    PostInterface: at.radio,
    ...(isSignal(at.rssi) ? { PostRSSI: at.rssi } : {}),
  };
  if (at.radio === record.TargetInterface) {
    const Reward = isSignal(at.rssi) ? quality(at.rssi) : 0;
    return { ...common, ...position, State: "succeeded", Reward };
  }
  const State = at.radio === record.SourceInterface ? "ignored" : "moved_elsewhere";
  return { ...common, ...position, State, Reward: REWARDS[State] };
}

/** The record of a request whose outcome cannot be known. */
export function notObserved(
  record: RoamingRecord,
  state: Extract<TransitionState, "observation_failed" | "disabled">,
  error: string,
): RoamingRecord {
  return { ...record, State: state, ...(error === "" ? {} : { Error: error }) };
}

/**
 * The memory with an outcome: its record in the history and, where something was learned, its arm in
 * the model. Dry runs, unknown signals and observations that failed teach nothing.
 */
export function learn(memory: RoamingMemory, record: RoamingRecord): RoamingMemory {
  const history = memory.history.map((one) => one.ID === record.ID ? record : one);
  const { Reward, SourceRSSI } = record;
  if (record.DryRun || Reward === undefined || !isSignal(SourceRSSI)) {
    return { ...memory, history };
  }
  const key = armKey(record.MAC, record.SourceInterface, record.TargetInterface, SourceRSSI);
  const { Count, Value } = memory.model[key] ?? { Count: 0, Value: 0 };
  const arm = {
    Count: Count + 1,
    Value: Value + (Reward - Value) / (Count + 1),
    LastReward: Reward,
    UpdatedAt: record.ObservedAt,
  };
  return { history, model: limited({ ...memory.model, [key]: arm }) };
}

/** The memory with a request, or with the recommendation of one. */
export function remember(memory: RoamingMemory, record: RoamingRecord): RoamingMemory {
  return { ...memory, history: [record, ...memory.history].slice(0, MAX_HISTORY) };
}

/** The record of a proposal at the time of its request. `id` is unique. */
export function proposalRecord(
  { station, target, origin }: Proposal,
  { id, now, dryRun }: { readonly id: string; readonly now: number; readonly dryRun: boolean },
): RoamingRecord {
  return {
    ID: id,
    RequestedAt: new Date(now).toISOString(),
    ObservedAt: NOT_OBSERVED,
    Origin: origin,
    MAC: station.mac,
    SourceInterface: station.radio,
    TargetInterface: target,
    SourceRSSI: station.rssi,
    DryRun: dryRun,
    State: dryRun ? "recommended" : "sent",
  };
}

/** The memory as a start finds it: nothing observes the requests of an earlier run. */
export function resumed(memory: RoamingMemory): RoamingMemory {
  return {
    ...memory,
    history: memory.history.map((one) =>
      isAwaited(one)
        ? notObserved(one, "observation_failed", "The Wi-Fi service was restarted meanwhile")
        : one
    ),
  };
}

function limited(model: RoamingModel): RoamingModel {
  const arms = Object.entries(model);
  if (arms.length <= MAX_ARMS) return model;
  const oldest = arms.toSorted(([, a], [, b]) => a.UpdatedAt < b.UpdatedAt ? -1 : 1);
  return Object.fromEntries(oldest.slice(arms.length - MAX_ARMS));
}
