import type { Config } from "../config.ts";
import type { Observations } from "../core/engine/change.ts";
import { leafInterface } from "./network.ts";
import { leafOf } from "./rules.ts";

/**
 * The interface that leads to a leaf router: the one on which the leaf was seen, else the first downlink.
 * Null where there is none.
 */
export function leafPort(
  { devices, interfaces }: Pick<Config, "devices" | "interfaces">,
  observed: Pick<Observations, "devices">,
  address: string,
): string | null {
  const leaf = Object.entries(devices).find(([, { RecentIP }]) => RecentIP === address);
  const seen = leaf === undefined ? null : observed.devices[leaf[0]]?.link ?? null;
  return seen ?? interfaces.find(({ Type, Enabled }) => Type === "Downlink" && Enabled)?.Name ??
    null;
}

/** The interface on which the clients of a leaf router are: that of the link to it, else that to the leaf. */
export function leafLink(
  config: Pick<Config, "devices" | "interfaces" | "mesh">,
  observed: Pick<Observations, "devices">,
  address: string,
): string | null {
  const leaf = leafOf(config.mesh, address);
  const own = leaf === null ? null : leafInterface(leaf);
  return own ?? leafPort(config, observed, address);
}

/** Stations whose place is remembered; the one that moved longest ago makes room. */
const MAX_PLACES = 16_384;

/** Where a station is. */
export interface StationPlace {
  /** Address of the leaf router; "" for an access point of this router. */
  readonly router: string;
  /** Since when, in monotonic milliseconds. */
  readonly since: number;
}

/** Which router each station joined last, by the identity of its device. In memory only. */
export class StationPlaces {
  readonly #places = new Map<string, StationPlace>();

  /** Null where it is not known. */
  find(identity: string): StationPlace | null {
    return this.#places.get(identity) ?? null;
  }

  /** Address of the leaf; "" for an access point of this router, or where it is not known. */
  of(identity: string): string {
    return this.find(identity)?.router ?? "";
  }

  moved(identity: string, place: StationPlace): void {
    this.#places.delete(identity);
    this.#places.set(identity, place);
    if (this.#places.size > MAX_PLACES) this.#places.delete(this.#places.keys().next().value!);
  }
}
