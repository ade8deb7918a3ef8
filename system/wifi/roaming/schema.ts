import * as z from "zod";
import { InterfaceName, Mac } from "../../core/net/grammar.ts";

const Interfaces = z.array(InterfaceName).max(64).refine(
  (names) => new Set(names).size === names.length,
  { error: "Name each interface once" },
).transform((names) => names.toSorted());

/**
 * Settings of client steering (`configs/wifi/roaming.json`); `PUT` replaces all of them. Without
 * `DryRun` nothing is sent: leaving a field out must not switch steering on.
 */
export const RoamingConfig = z.strictObject({
  /** Record what would be done, and send nothing. */
  DryRun: z.boolean().default(true),
  /** Seconds between two decisions. */
  PollIntervalSeconds: z.int().min(5).max(300),
  /** Seconds after a transition request before its outcome is observed. */
  ObservationDelaySeconds: z.int().min(5).max(180),
  /** Only stations with a signal of at most this many dBm are steered. */
  RSSIThresholdDBM: z.int().min(-100).max(-30),
  /** Gain in dB that a transition must promise. */
  MinimumImprovementDBM: z.int().min(0).max(40),
  /** Seconds before the same station is steered again. */
  CooldownSeconds: z.int().min(30).max(86_400),
  /** Most transition requests of all radios in an hour. */
  MaxTransitionsPerHour: z.int().min(1).max(100),
  /** Probability of a random target, from which the model learns. */
  ExplorationRate: z.number().min(0).max(1),
  /** Interfaces that may be targets; none means all. */
  AllowedInterfaces: z.preprocess((value) => value ?? [], Interfaces),
}).meta({ id: "RoamingConfig" });
export type RoamingConfig = z.output<typeof RoamingConfig>;

/** Settings before a choice: nothing is sent. */
export const DEFAULT_ROAMING: RoamingConfig = {
  DryRun: true,
  PollIntervalSeconds: 15,
  ObservationDelaySeconds: 20,
  RSSIThresholdDBM: -70,
  MinimumImprovementDBM: 5,
  CooldownSeconds: 900,
  MaxTransitionsPerHour: 4,
  ExplorationRate: 0,
  AllowedInterfaces: [],
};

/** What became of a transition request. */
export const TransitionState = z.enum([
  "sent",
  "recommended",
  "succeeded",
  "ignored",
  "moved_elsewhere",
  "offline",
  "observation_failed",
  "disabled",
]);
export type TransitionState = z.output<typeof TransitionState>;

/** Time of an observation that has not taken place, as existing clients expect it. */
export const NOT_OBSERVED = "0001-01-01T00:00:00Z";

const Time = z.iso.datetime().meta({ examples: ["2026-01-01T12:00:00.000Z"] });

/** One transition request, or the recommendation of one. */
export const RoamingRecord = z.object({
  /** Unix nanoseconds and a counter: `1764400000000000000-1`. */
  ID: z.string().max(64),
  RequestedAt: Time,
  /** {@link NOT_OBSERVED} until the outcome is known. */
  ObservedAt: Time,
  Origin: z.enum(["manual", "auto", "auto_explore"]),
  MAC: Mac,
  SourceInterface: InterfaceName,
  TargetInterface: InterfaceName,
  /** Signal in dBm before; 0 not known. */
  SourceRSSI: z.int().min(-128).max(0),
  /** Signal in dBm after. */
  PostRSSI: z.int().min(-128).max(-1).optional(),
  PostInterface: InterfaceName.optional(),
  DryRun: z.boolean(),
  State: TransitionState,
  Reward: z.number().optional(),
  HostapdResponse: z.string().max(256).optional(),
  Error: z.string().max(1024).optional(),
}).meta({ id: "RoamingRecord" });
export type RoamingRecord = z.output<typeof RoamingRecord>;

/** What the model expects of one transition in one range of signals. */
export const RoamingArm = z.object({
  /** Observations. */
  Count: z.int().min(0),
  /** Mean reward. */
  Value: z.number(),
  LastReward: z.number(),
  UpdatedAt: Time,
}).meta({ id: "RoamingArm" });
export type RoamingArm = z.output<typeof RoamingArm>;

/** The model: an arm for each `mac|source|target|bucket`. */
export const RoamingModel = z.record(z.string().max(96), RoamingArm).meta({ id: "RoamingModel" });
export type RoamingModel = Readonly<Record<string, RoamingArm>>;

/** State of client steering (`GET /hostapd/roaming/status`). */
export const RoamingStatus = z.object({
  RoamingEnabled: z.boolean(),
  Config: RoamingConfig,
  HistoryCount: z.int(),
  ModelArms: z.int(),
  /** Transition requests whose outcome is awaited. */
  TransitionsActive: z.int(),
}).meta({ id: "RoamingStatus" });
export type RoamingStatus = z.output<typeof RoamingStatus>;
