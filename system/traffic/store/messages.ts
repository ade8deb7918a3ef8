import type { HistoryRow } from "../../uplink/health/history_rows.ts";
import type { HistoryFilter } from "../insights/history.ts";

/** Traffic of a device with an address outside, and what is known of the address. */
export interface NamedTraffic {
  readonly device: string;
  readonly remote: string;
  /** By which the device knew the address; "" for none. */
  readonly domain: string;
  /** 0 where it is not known. */
  readonly asn: number;
  readonly network: string;
  readonly country: string;
  /** Bytes that the device received and sent. */
  readonly in: number;
  readonly out: number;
}

/** From a moment to another, unix milliseconds: what ends after the one and begins by the other. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** What the traffic store does; each answers with what {@link TrafficAnswers} says. Times are unix ms. */
export type TrafficRequest =
  /** Answers the last stored batch. */
  | { readonly do: "last" }
  /** Stores a batch; one that is stored already stays as it is. */
  | {
    readonly do: "store";
    readonly batch: string;
    readonly at: number;
    readonly traffic: readonly NamedTraffic[];
  }
  /** Answers an overview of the window as JSON. */
  | Window & { readonly do: "overview"; readonly containers: readonly string[] }
  /** Answers the destinations of a device in the window as JSON. */
  | Window & { readonly do: "device"; readonly address: string }
  /** Answers the names with the most traffic in the window as JSON. */
  | Window & { readonly do: "names" }
  /** Answers the bytes of each hour or day of the window as JSON. */
  | Window & HistoryFilter & { readonly do: "history" }
  /** Rolls up and deletes a part of what is old; answers whether there is more to do. */
  | { readonly do: "trim"; readonly now: number; readonly days: number }
  /** Answers the history of uplinks, oldest first. */
  | { readonly do: "uplinks" }
  | { readonly do: "writeUplinks"; readonly rows: readonly HistoryRow[] };

/** What the requests answer. */
export interface TrafficAnswers {
  readonly last: string | null;
  readonly store: null;
  readonly overview: string;
  readonly device: string;
  readonly names: string;
  readonly history: string;
  readonly trim: boolean;
  readonly uplinks: readonly HistoryRow[];
  readonly writeUplinks: null;
}
