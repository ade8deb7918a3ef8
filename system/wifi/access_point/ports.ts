import type { RadioFacts } from "../control_schema.ts";
import type { RadioState } from "../plan_schema.ts";
import type { ManagementFrame } from "./station_frames.ts";

/** A control socket of one network. */
export interface Control {
  request(command: string): Promise<string>;
  order(command: string): Promise<void>;
  close(): void;
}

/** What a station did. */
export type StationReport =
  | {
    readonly kind: "connected";
    readonly mac: string;
    readonly network: string;
    readonly link: string;
    readonly keyId: string;
    /** Since when, as far as hostapd tells. */
    readonly seconds: number;
  }
  | {
    readonly kind: "disconnected";
    readonly mac: string;
    readonly network: string;
    readonly link: string;
  }
  | {
    readonly kind: "mismatch";
    readonly mac: string;
    readonly link: string;
    readonly known: boolean;
  };

/** What an access point reaches the machine by. */
export interface AccessPointDeps {
  /** Private files, by name; null where there is none. Written with mode 0600, whole or not at all. */
  readonly read: (name: string) => Promise<string | null>;
  readonly write: (name: string, text: string) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
  readonly list: () => Promise<readonly string[]>;
  /** Path of a private file. */
  readonly path: (name: string) => string;
  /** Folder of a radio's control sockets, which exists. */
  readonly controlFolder: (radio: string) => string;
  /** Process of hostapd with this file; null none. */
  readonly running: (file: string) => Promise<number | null>;
  /** Throws Problem with hostapd's words. */
  readonly start: (file: string) => Promise<void>;
  readonly stop: (file: string) => Promise<void>;
  /** hostapd's complaints about a file; null none. */
  readonly check: (file: string) => Promise<string | null>;
  readonly control: (radio: string, network: string) => Control;
  readonly attach: (
    radio: string,
    network: string,
    onEvent: (text: string) => void,
  ) => Promise<{ close(): void }>;
  /** Sends through the interface that a station has for itself. Throws Problem. */
  readonly sendFrame: (link: string, frame: ManagementFrame) => void;
  /** Facts of a radio; null while it is not there. */
  readonly facts: (radio: string) => Promise<RadioFacts | null>;
  /** The name that hardware of this address had before; null where it keeps its name, or is new. */
  readonly nameBefore: (radio: string, mac: string) => string | null;
  /** Hardware of this address is on the air under the name of the radio. */
  readonly remember: (radio: string, mac: string) => Promise<void>;
  /** Hardware of this address may be used under any name. */
  readonly forget: (mac: string) => Promise<void>;
  /** True for a hostapd that knows 802.11be. */
  readonly wifi7: () => boolean;
  /** WPA2 key of a password in hexadecimal (IEEE 802.11-2020 J.4.1). */
  readonly pmk: (psk: string, ssid: Uint8Array<ArrayBuffer>) => Promise<string>;
  /** A password that nobody knows. */
  readonly secret: () => string;
  readonly report: (report: StationReport) => void;
  /** Takes an event that is not about a station. */
  readonly eventReceived: (radio: string, event: string) => void;
  readonly changed: (state: RadioState) => void;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}
