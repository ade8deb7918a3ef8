import type { DfsReport } from "./air/schema.ts";
import type {
  ChannelSwitch,
  CheckResult,
  CountryRules,
  RadioFactsList,
  StationLines,
  StationOnAir,
  StatusLines,
} from "./control_schema.ts";
import type { IwDevices, IwNeighbour, IwRadio, IwRegulatory } from "./iw/schema.ts";
import type { PlannedRadio } from "./plan_schema.ts";
import type { Steering } from "./roaming/steering_loop.ts";

/** wifid, as its control socket offers it. */
export interface Wifid {
  /** Throws Problem 503 where iw is missing. */
  radios(): Promise<RadioFactsList>;
  /** Throws Problem 404 for a network that is not planned, 502, 503. */
  status(network: string): Promise<StatusLines>;
  stations(network: string): Promise<StationLines>;
  /** Stations of all networks that are on the air; `mac` "": all. */
  stationsOnAir(mac: string): Promise<{ readonly items: StationOnAir[] }>;
  disconnect(network: string, mac: string): Promise<void>;
  /** A station joined another router so many seconds ago: networks that it joined before that forget it. */
  forgetElsewhere(mac: string, seconds: number): Promise<void>;
  switchChannel(radio: string, to: ChannelSwitch): Promise<void>;
  check(radio: PlannedRadio): Promise<CheckResult>;
  /** Throws Problem 503 where the database is missing. */
  countries(): Promise<{ readonly items: string[] }>;
  /** Throws Problem 404 for a country that the database does not know. */
  country(country: string): Promise<CountryRules>;
  /** "" all radios. */
  restart(radio: string): Promise<void>;
  /** Client steering. */
  readonly steering: Pick<Steering, "status" | "history" | "model" | "transition">;
  iwList(): Promise<IwRadio[]>;
  iwDevices(): Promise<IwDevices>;
  iwRegulatory(): Promise<IwRegulatory>;
  /** `force`: an access point leaves its channel for that. */
  iwScan(link: string, force: boolean): Promise<IwNeighbour[]>;
  dfs(): Promise<DfsReport>;
  stop(): Promise<void>;
}
