import { Problem } from "../../core/errors/problem.ts";
import type { StationLines, StatusLines } from "../control_schema.ts";
import { stationEvent, stationReply, statusLines, usedSae } from "../hostapd/replies.ts";
import type { PlannedBss } from "../plan_schema.ts";
import { stationLink } from "../stations_on_air.ts";
import type { AccessPointDeps, Control } from "./ports.ts";

/** Stations of one network. */
const MAX_STATIONS = 2048;

interface Attached {
  readonly control: Control;
  readonly events: { close(): void };
}

/** What the networks of a radio ask of it. */
export interface NetworkSource {
  readonly radio: string;
  /**
   * Identity of the pending device whose WPA3 password a station used that has none of its own; ""
   * where it has one, or none waits.
   */
  readonly waitingFor: (network: string, mac: string) => string;
  /** True for a station whose device has a password. */
  readonly isKnown: (mac: string) => boolean;
  /** Called for an event that is not about a station. */
  readonly happened: (text: string) => void;
}

/** The networks of a radio that hostapd has on the air: their control sockets and their stations. */
export class AttachedNetworks {
  readonly #deps: Pick<AccessPointDeps, "control" | "attach" | "report">;
  readonly #source: NetworkSource;
  readonly #attached = new Map<string, Attached>();
  /** Network and interface of each station. */
  readonly #attachments = new Map<string, { readonly network: string; readonly link: string }>();
  /** Number of the last event of each station that is on its way. */
  readonly #turns = new Map<string, number>();
  /** Stations that joined while hostapd did not reply, with what the event said of them. */
  readonly #unanswered = new Map<string, { readonly network: string; readonly keyId: string }>();

  constructor(
    deps: Pick<AccessPointDeps, "control" | "attach" | "report">,
    source: NetworkSource,
  ) {
    this.#deps = deps;
    this.#source = source;
  }

  get names(): readonly string[] {
    return [...this.#attached.keys()];
  }

  /** Follows the networks of a plan, and reports the stations that they have. Throws Problem. */
  async attach(networks: readonly PlannedBss[]): Promise<void> {
    const { radio } = this.#source;
    try {
      for (const { name } of networks) {
        const events = await this.#deps.attach(radio, name, (text) => this.#event(name, text));
        this.#attached.set(name, { events, control: this.#deps.control(radio, name) });
      }
      for (const { name } of networks) {
        for (const [mac, lines] of Object.entries(await this.stations(name))) {
          if (!lines.flags?.includes("[AUTHORIZED]")) continue;
          this.#joined(name, { mac, lines, keyId: lines.keyid ?? "" });
        }
      }
    } catch (error) {
      this.detach();
      throw error;
    }
  }

  /** Ends following; hostapd goes on. */
  detach(): void {
    for (const { control, events } of this.#attached.values()) {
      control.close();
      events.close();
    }
    this.#attached.clear();
  }

  /** Reports that every station left, as they do with hostapd. */
  allLeft(): void {
    for (const [mac, { network }] of [...this.#attachments]) this.#left(mac, network);
  }

  /** True when hostapd answers for every network; then it is asked again for what it did not answer. */
  async answer(): Promise<boolean> {
    for (const { control } of this.#attached.values()) {
      if (await control.request("PING").catch(() => "") !== "PONG") return false;
    }
    for (const [mac, { network, keyId }] of [...this.#unanswered]) {
      await this.#ask(network, mac, keyId);
    }
    return this.#attached.size > 0;
  }

  /** Control socket of a network. Throws Problem 503 for one that is not on the air. */
  control(network: string): Control {
    const found = this.#attached.get(network);
    if (found === undefined) throw new Problem(503, `${network} is not on the air`);
    return found.control;
  }

  /** Stations by MAC address. Throws Problem 502, 503. */
  async stations(network: string): Promise<StationLines> {
    const control = this.control(network);
    const found: Record<string, StatusLines> = {};
    let next = stationReply(await control.request("STA-FIRST"));
    for (let n = 0; next !== null && n < MAX_STATIONS && !(next.mac in found); n++) {
      found[next.mac] = next.lines;
      next = stationReply(await control.request(`STA-NEXT ${next.mac}`));
    }
    return found;
  }

  /** hostapd's status of a network. Throws Problem 502, 503. */
  async status(network: string): Promise<StatusLines> {
    return statusLines(await this.control(network).request("STATUS"));
  }

  /** Disconnects a station; one that is not there is no error. Throws Problem 502, 503. */
  async disconnect(network: string, mac: string): Promise<void> {
    const control = this.control(network);
    await control.request(`DISASSOCIATE ${mac}`);
    await control.request(`DEAUTHENTICATE ${mac}`);
  }

  /** Lets hostapd forget a station that is elsewhere; nothing is sent to it. Throws Problem 502, 503. */
  async forget(network: string, mac: string): Promise<void> {
    await this.control(network).request(`DEAUTHENTICATE ${mac} tx=0`);
  }

  #event(network: string, text: string): void {
    const event = stationEvent(text);
    if (event === null) {
      this.#source.happened(text);
      return;
    }
    const { mac } = event;
    if (event.kind === "connected") void this.#ask(network, mac, event.keyId);
    else if (event.kind === "disconnected") this.#left(mac, network);
    else {
      const known = this.#source.isKnown(mac);
      this.#deps.report({ kind: "mismatch", mac, link: network, known });
    }
  }

  /** The event does not tell the station's interface. */
  async #ask(network: string, mac: string, keyId: string): Promise<void> {
    const turn = (this.#turns.get(mac) ?? 0) + 1;
    this.#turns.set(mac, turn);
    this.#unanswered.delete(mac);
    try {
      const reply = stationReply(await this.control(network).request(`STA ${mac}`));
      // What it did meanwhile is newer.
      if (reply === null || this.#turns.get(mac) !== turn) return;
      this.#joined(network, { mac, lines: reply.lines, keyId });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      // Under load hostapd, or this process, may be late: the next look asks again.
      if (this.#turns.get(mac) === turn) this.#unanswered.set(mac, { network, keyId });
    }
  }

  #joined(
    network: string,
    { mac, lines, keyId }: {
      readonly mac: string;
      readonly lines: StatusLines;
      readonly keyId: string;
    },
  ): void {
    const link = stationLink(network, lines);
    this.#attachments.set(mac, { network, link });
    const used = keyId === "" && usedSae(lines) ? this.#source.waitingFor(network, mac) : keyId;
    const seconds = Number(lines.connected_time) || 0;
    this.#deps.report({ kind: "connected", mac, network, link, keyId: used, seconds });
  }

  /** Nothing more is requested from a station that left: its interface is remembered. */
  #left(mac: string, network: string): void {
    const attachment = this.#attachments.get(mac) ?? { network, link: network };
    // On its way to another network of the radio it is there already.
    if (attachment.network !== network) return;
    this.#turns.delete(mac);
    this.#unanswered.delete(mac);
    this.#attachments.delete(mac);
    this.#deps.report({ kind: "disconnected", mac, ...attachment });
  }
}
