import type { Log } from "../../core/log/log.ts";
import type { RadioFacts } from "../control_schema.ts";
import { afterRadarEvent, parseDfsChannels } from "./radar_events.ts";
import { type DfsReport, NO_RADAR, type RadarLog } from "./schema.ts";

/** What {@link RadarWatch} needs. */
export interface RadarWatchDeps {
  /** What `iw` prints of the channels of a radio. Throws Problem. */
  readonly channels: (phy: string) => Promise<string>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** What hostapd says of radar on each radio, and what the kernel knows of channels. */
export class RadarWatch {
  readonly #deps: RadarWatchDeps;
  readonly #logs = new Map<string, RadarLog>();

  constructor(deps: RadarWatchDeps) {
    this.#deps = deps;
  }

  /** Takes an event of hostapd. */
  observe(radio: string, event: string): void {
    const before = this.#logs.get(radio) ?? NO_RADAR;
    const after = afterRadarEvent(before, event, this.#deps.now());
    if (after === before) return;
    this.#logs.set(radio, after);
    if (after.seenAt !== before.seenAt) {
      const text = `${radio} detected radar at ${after.seenOn} MHz and leaves that channel`;
      this.#deps.log.warn("wifi.radar_detected", text, { radio, frequency: after.seenOn });
    }
  }

  async report(radios: readonly RadioFacts[]): Promise<DfsReport> {
    const items = await Promise.all(radios.map(async ({ name, phy, bands }) => {
      const isRadar = bands.some(({ channels }) => channels.some(({ use }) => use === "radar"));
      const channels = isRadar ? parseDfsChannels(await this.#deps.channels(phy)) : [];
      return { radio: name, log: this.#logs.get(name) ?? NO_RADAR, channels: [...channels] };
    }));
    return { items };
  }
}
