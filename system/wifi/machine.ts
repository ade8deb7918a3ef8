import type { ManagementFrame } from "./access_point/station_frames.ts";

/** What wifid reaches the machine by. */
export interface WifiMachine {
  /** What `iw` prints. Throws Problem, 503 where it is missing. */
  readonly iwShow: (what: "list" | "dev" | "reg") => Promise<string>;
  /** `force`: an access point leaves its channel for that. */
  readonly iwScan: (link: string, force: boolean) => Promise<string>;
  /** Channels of a radio by its name, `phy0`. */
  readonly iwChannels: (phy: string) => Promise<string>;
  readonly iwStations: (link: string) => Promise<string>;
  /** Sends through the interface that a station has for itself. Throws Problem. */
  readonly sendFrame: (link: string, frame: ManagementFrame) => void;
  /** Calls whenever a radio, or an interface of one, came, went or was renamed. */
  readonly followRadios: (
    changed: () => void,
    onError: (message: string) => void,
  ) => { stop(): Promise<void> };
  /** Throws Problem 503 where hostapd is not installed. */
  readonly hostapdVersion: () => Promise<{ readonly major: number; readonly minor: number }>;
  /** Process of hostapd with this file; null none. */
  readonly hostapdRunning: (file: string) => Promise<number | null>;
  /** Throws Problem with hostapd's words. */
  readonly startHostapd: (file: string) => Promise<void>;
  readonly stopHostapd: (file: string) => Promise<void>;
  /** hostapd's complaints about a file; null none. */
  readonly checkHostapdFile: (file: string) => Promise<string | null>;
}
