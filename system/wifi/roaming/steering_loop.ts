import * as z from "zod";
import { Problem, sentence } from "../../core/errors/problem.ts";
import type { Log } from "../../core/log/log.ts";
import {
  isDeafToHostapd,
  type ManagementFrame,
  transitionFrame,
} from "../access_point/station_frames.ts";
import type { StationLines, StatusLines } from "../control_schema.ts";
import type { WifiPlan } from "../plan_schema.ts";
import {
  DEFAULT_ROAMING,
  type RoamingConfig,
  RoamingModel,
  RoamingRecord,
  type RoamingStatus,
} from "./schema.ts";
import {
  isAwaited,
  learn,
  notObserved,
  type Observation,
  observed,
  proposalRecord,
  proposeTransition,
  remember,
  resumed,
  type RoamingMemory,
  type SteerableStation,
  type SteeringRadio,
} from "./steering.ts";
import {
  type Neighbour,
  neighbourOf,
  transitionCommand,
  type TransitionEnd,
  transitionProblem,
  type TransitionResult,
  VALIDITY,
} from "./transition_rules.ts";
import { stationLink } from "../stations_on_air.ts";

/** What steering reaches the radios by. */
export interface SteeringDeps {
  /** Stations of a network. Throws Problem. */
  readonly stations: (network: string) => Promise<StationLines>;
  /** Reply to a command of a network. Throws Problem. */
  readonly request: (network: string, command: string) => Promise<string>;
  /** Sends through the interface that a station has for itself. Throws Problem. */
  readonly sendFrame: (link: string, frame: ManagementFrame) => void;
  readonly lines: (reply: string) => StatusLines;
  /** Kept text; null none. */
  readonly read: (name: string) => Promise<string | null>;
  readonly write: (name: string, text: string) => Promise<void>;
  readonly pause: (milliseconds: number) => Promise<void>;
  readonly ended: () => boolean;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly random: () => number;
  readonly log: Log;
}

const HISTORY_FILE = "roaming-history.json";
const MODEL_FILE = "roaming-model.json";
/** Milliseconds between two writes of what was learned. */
const WRITE_INTERVAL_MS = 5000;

/** Client steering between the radios of one router. */
export class Steering {
  readonly #deps: SteeringDeps;
  #plan: WifiPlan | null = null;
  #memory: RoamingMemory = { history: [], model: {} };
  #count = 0;
  #written = 0;
  #isDirty = false;

  constructor(deps: SteeringDeps) {
    this.#deps = deps;
  }

  /** Networks and settings from now on. */
  follow(plan: WifiPlan): void {
    this.#plan = plan;
  }

  get status(): RoamingStatus {
    return {
      RoamingEnabled: this.#isPossible,
      Config: { ...this.#config, AllowedInterfaces: [...this.#config.AllowedInterfaces] },
      HistoryCount: this.#memory.history.length,
      ModelArms: Object.keys(this.#memory.model).length,
      TransitionsActive: this.#memory.history.filter(isAwaited).length,
    };
  }

  /** Newest first. */
  get history(): readonly RoamingRecord[] {
    return this.#memory.history;
  }

  get model(): RoamingModel {
    return this.#memory.model;
  }

  /** Decides and observes until the end. */
  async run(): Promise<void> {
    this.#memory = resumed({
      history: await this.#readKept(HISTORY_FILE, z.array(RoamingRecord), []),
      model: await this.#readKept(MODEL_FILE, RoamingModel, {}),
    });
    while (!this.#deps.ended()) {
      await this.#deps.pause(this.#config.PollIntervalSeconds * 1000);
      if (this.#deps.ended()) break;
      try {
        if (this.#isPossible) await this.#decide();
      } catch (error) {
        // A radio that restarts meanwhile; the next round finds it.
        if (!(error instanceof Problem)) {
          this.#deps.log.error("wifi.steering_failed", "Clients could not be steered", { error });
        }
      }
      await this.#keep(false);
    }
    await this.#keep(true);
  }

  /**
   * Offers a station another radio. Throws Problem 400 with the reason where it cannot be, 404, 502 or
   * 503 as the radios do.
   */
  async transition(source: string, mac: string, target: string): Promise<TransitionResult> {
    const station: SteerableStation = { mac, radio: source, rssi: 0 };
    const record = this.#record({ station, target, origin: "auto" }, { dryRun: false });
    return await this.#send({ ...record, Origin: "manual" });
  }

  get #config(): RoamingConfig {
    return this.#plan?.roaming ?? DEFAULT_ROAMING;
  }

  /** Two radios with one name that both offer transitions. */
  get #isPossible(): boolean {
    const names = this.#radios.map(({ ssid }) => ssid);
    return new Set(names).size < names.length;
  }

  get #radios(): readonly SteeringRadio[] {
    return (this.#plan?.radios ?? []).filter(({ settings }) => settings.bss_transition === 1)
      .map(({ name, settings }) => ({ name, ssid: settings.ssid_hex || settings.ssid }));
  }

  async #decide(): Promise<void> {
    const stations: SteerableStation[] = [];
    for (const { name } of this.#radios) {
      const found = await this.#deps.stations(name).catch(() => ({}));
      for (const [mac, lines] of Object.entries<StatusLines>(found)) {
        if (!lines.flags?.includes("[AUTHORIZED]")) continue;
        stations.push({ mac, radio: name, rssi: Number(lines.signal) || 0 });
      }
    }
    this.#observe(stations);
    const { now, random } = this.#deps;
    const view = { stations, radios: this.#radios, now: now(), random };
    const proposal = proposeTransition(this.#memory, this.#config, view);
    if (proposal === null) return;
    const record = this.#record(proposal, { dryRun: this.#config.DryRun });
    if (record.DryRun) this.#remember(record);
    else await this.#send(record);
  }

  #observe(stations: readonly SteerableStation[]): void {
    const now = this.#deps.now();
    const delay = this.#config.ObservationDelaySeconds * 1000;
    for (const record of this.#memory.history.filter(isAwaited)) {
      if (now - Date.parse(record.RequestedAt) < delay) continue;
      const found = stations.find(({ mac }) => mac === record.MAC);
      const at: Observation["at"] = found ?? null;
      this.#memory = learn(this.#memory, observed(record, { at, now }));
      this.#isDirty = true;
    }
  }

  #record(
    proposal: Parameters<typeof proposalRecord>[0],
    { dryRun }: { readonly dryRun: boolean },
  ): RoamingRecord {
    const now = this.#deps.now();
    // Nanoseconds, as existing clients know the name of a record.
    const id = `${BigInt(Math.floor(now)) * 1_000_000n}-${++this.#count}`;
    return proposalRecord(proposal, { id, now, dryRun });
  }

  async #send(record: RoamingRecord): Promise<TransitionResult> {
    const { SourceInterface, TargetInterface, MAC } = record;
    const [source, target] = await Promise.all([
      this.#end(SourceInterface),
      this.#end(TargetInterface),
    ]);
    const station = (await this.#deps.stations(SourceInterface))[MAC] ?? null;
    const problem = transitionProblem(source, target, station);
    if (problem !== null) throw new Problem(400, problem);
    const to = neighbourOf(target)!;
    const rssi = Number(station?.signal) || record.SourceRSSI;
    const command = transitionCommand(MAC, to);
    const sent = { ...record, SourceRSSI: Math.max(-128, Math.min(0, Math.round(rssi))) };
    const HostapdResponse = isDeafToHostapd(station!)
      ? this.#offerDirectly(MAC, to, stationLink(SourceInterface, station!))
      : await this.#deps.request(SourceInterface, command);
    if (!HostapdResponse.startsWith("OK")) {
      this.#remember({
        ...notObserved(sent, "observation_failed", "hostapd refused"),
        HostapdResponse,
      });
      throw new Problem(400, `hostapd: ${HostapdResponse.slice(0, 200) || "no reply"}`);
    }
    this.#remember({ ...sent, HostapdResponse });
    return {
      SourceInterface,
      TargetInterface,
      MAC,
      ...(sent.SourceRSSI === 0 ? {} : { SourceRSSI: sent.SourceRSSI }),
      TargetBSSID: to.bssid,
      OperatingClass: to.operatingClass,
      Channel: to.channel,
      PHYType: to.phyType,
      Command: command,
      HostapdResponse,
    };
  }

  /** What hostapd would send, through the interface of the station; answers as hostapd does. */
  #offerDirectly(mac: string, to: Neighbour, link: string): string {
    const token = this.#count % 255 + 1;
    this.#deps.sendFrame(link, transitionFrame(mac, to, { token, validity: VALIDITY }));
    return "OK";
  }

  async #end(name: string): Promise<TransitionEnd> {
    const radio = this.#plan?.radios.find((one) => one.name === name);
    if (radio === undefined) {
      throw new Problem(400, sentence("{name} is no access point that is on", { name }));
    }
    const [status, config] = [
      this.#deps.lines(await this.#deps.request(name, "STATUS")),
      this.#deps.lines(await this.#deps.request(name, "GET_CONFIG")),
    ];
    return { name, offers: radio.settings.bss_transition === 1, status, config };
  }

  #remember(record: RoamingRecord): void {
    this.#memory = remember(this.#memory, record);
    this.#isDirty = true;
  }

  async #keep(isEnd: boolean): Promise<void> {
    const now = this.#deps.now();
    if (!this.#isDirty || (!isEnd && now - this.#written < WRITE_INTERVAL_MS)) return;
    this.#isDirty = false;
    this.#written = now;
    try {
      await this.#deps.write(HISTORY_FILE, JSON.stringify(this.#memory.history));
      await this.#deps.write(MODEL_FILE, JSON.stringify(this.#memory.model));
    } catch (error) {
      this.#isDirty = true;
      this.#deps.log.warn("wifi.steering_not_kept", "What steering learned could not be kept", {
        error,
      });
    }
  }

  async #readKept<T>(name: string, shape: z.ZodType<T>, none: T): Promise<T> {
    try {
      const text = await this.#deps.read(name);
      return text === null ? none : shape.parse(JSON.parse(text));
    } catch (error) {
      this.#deps.log.warn("wifi.steering_unreadable", `${name} cannot be read; it starts empty`, {
        error,
      });
      return none;
    }
  }
}
