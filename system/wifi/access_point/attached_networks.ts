import { Problem } from "../../core/errors/problem.ts";
import type { StationLines, StatusLines } from "../control_schema.ts";
import { stationEvent, stationReply, statusLines, usedSae } from "../hostapd/replies.ts";
import type { PlannedBss } from "../plan_schema.ts";
import { stationLink } from "../stations_on_air.ts";
import type { AccessPointDeps, Control } from "./ports.ts";
import { deauthenticationFrame, isDeafToHostapd } from "./station_frames.ts";

/** Stations of one network. */
const MAX_STATIONS = 2048;
/**
 * Datagrams that a socket's queue may hold (net.unix.max_dgram_qlen): hostapd drops the events that find
 * it full, and sends no more at all after some in a row.
 */
const QUEUE_LENGTH = 10;
/** Milliseconds between two looks from which this process stood still meanwhile, and read no event. */
const STALL_MS = 6000;
/** Milliseconds between two comparisons where no event can have been missed. */
const COMPARE_INTERVAL_MS = 60_000;
/** Milliseconds by which two readings of when a station joined may differ. */
const JOINED_TOLERANCE_MS = 10_000;

interface Attached {
  readonly control: Control;
  readonly events: { close(): void };
}

/** Where a station is. */
interface Attachment {
  readonly network: string;
  readonly link: string;
  /** When it joined, by the monotonic clock. */
  readonly since: number;
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

type NetworkDeps = Pick<AccessPointDeps, "control" | "attach" | "sendFrame" | "report" | "now">;

/** The networks of a radio that hostapd has on the air: their control sockets and their stations. */
export class AttachedNetworks {
  readonly #deps: NetworkDeps;
  readonly #source: NetworkSource;
  readonly #attached = new Map<string, Attached>();
  readonly #attachments = new Map<string, Attachment>();
  /** Number of the last event of each station that is on its way. */
  readonly #turns = new Map<string, number>();
  /** Stations that joined while hostapd did not reply, with what the event said of them. */
  readonly #unanswered = new Map<string, { readonly network: string; readonly keyId: string }>();
  /** Events since the last look. */
  #events = 0;
  #lookedAt = 0;
  #comparedAt = 0;
  /** Stations with an event since a comparison began. */
  readonly #changed = new Set<string>();

  constructor(
    deps: NetworkDeps,
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
    this.#lookedAt = this.#comparedAt = this.#deps.now();
    try {
      for (const { name } of networks) {
        const events = await this.#follow(name);
        this.#attached.set(name, { events, control: this.#deps.control(radio, name) });
      }
      for (const { name } of networks) {
        for (const [mac, lines] of Object.entries(await this.stations(name))) {
          if (!isAuthorized(lines)) continue;
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

  /**
   * True when hostapd answers for every network; then it is asked again for what it did not answer, and
   * for all stations where events may have been missed.
   */
  async answer(): Promise<boolean> {
    for (const { control } of this.#attached.values()) {
      if (await control.request("PING").catch(() => "") !== "PONG") return false;
    }
    for (const [mac, { network, keyId }] of [...this.#unanswered]) {
      await this.#ask(network, mac, keyId);
    }
    await this.#mend();
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
    const station = stationReply(await control.request(`STA ${mac}`));
    if (station !== null && isDeafToHostapd(station.lines)) this.#sendOff(network, station);
    await control.request(`DISASSOCIATE ${mac}`);
    await control.request(`DEAUTHENTICATE ${mac}`);
  }

  /** Before hostapd drops the keys with which the station hears it. */
  #sendOff(
    network: string,
    { mac, lines }: { readonly mac: string; readonly lines: StatusLines },
  ): void {
    try {
      this.#deps.sendFrame(stationLink(network, lines), deauthenticationFrame(mac));
    } catch (error) {
      // It is off the network all the same, and finds out when it sends something.
      if (!(error instanceof Problem)) throw error;
    }
  }

  /** Lets hostapd forget a station that is elsewhere; nothing is sent to it. Throws Problem 502, 503. */
  async forget(network: string, mac: string): Promise<void> {
    await this.control(network).request(`DEAUTHENTICATE ${mac} tx=0`);
  }

  /**
   * Forgets a station that joined another router so many seconds ago, unless it came here since. hostapd
   * counts whole seconds: one that came within the same second stays. Throws Problem 502, 503.
   */
  async forgetElsewhere(mac: string, seconds: number): Promise<void> {
    const taken = this.#deps.now();
    for (const network of this.names) {
      const station = stationReply(await this.control(network).request(`STA ${mac}`));
      if (station === null) continue;
      const elsewhere = seconds + (this.#deps.now() - taken) / 1000;
      if (Number(station.lines["connected_time"]) <= elsewhere) continue;
      await this.forget(network, mac);
    }
  }

  #follow(network: string): Promise<{ close(): void }> {
    const { radio } = this.#source;
    return this.#deps.attach(radio, network, (text) => this.#event(network, text));
  }

  /** Finds out what events did not say, where some may have been missed, and now and then. */
  async #mend(): Promise<void> {
    const now = this.#deps.now();
    const mayMiss = this.#events >= QUEUE_LENGTH || now - this.#lookedAt > STALL_MS;
    this.#events = 0;
    this.#lookedAt = now;
    if (!mayMiss && now - this.#comparedAt < COMPARE_INTERVAL_MS) return;
    this.#comparedAt = now;
    for (const network of this.names) {
      try {
        // An event that comes from now on is followed, and what was missed before is seen below.
        if (mayMiss) await this.#followAnew(network);
        if (await this.#compare(network) && !mayMiss) await this.#followAnew(network);
      } catch (error) {
        // hostapd does not reply: the next look compares again.
        if (!(error instanceof Problem)) throw error;
        this.#comparedAt = now - COMPARE_INTERVAL_MS;
      }
    }
  }

  async #followAnew(network: string): Promise<void> {
    const before = this.#attached.get(network);
    const events = await this.#follow(network);
    if (before === undefined || this.#attached.get(network) !== before) return events.close();
    this.#attached.set(network, { ...before, events });
    before.events.close();
  }

  /** Reports stations that joined or left without an event; true where there are such. */
  async #compare(network: string): Promise<boolean> {
    this.#changed.clear();
    const found = await this.stations(network);
    let missed = false;
    for (const [mac, lines] of Object.entries(found)) {
      if (!isAuthorized(lines) || this.#changed.has(mac)) continue;
      const known = this.#attachments.get(mac);
      const next = this.#attachment(network, lines);
      const isSame = known?.network === network && known.link === next.link &&
        next.since - known.since < JOINED_TOLERANCE_MS;
      if (isSame) continue;
      missed = true;
      this.#joined(network, { mac, lines, keyId: lines.keyid ?? "" });
    }
    for (const [mac, attachment] of [...this.#attachments]) {
      if (attachment.network !== network || mac in found && isAuthorized(found[mac]!)) continue;
      // The list ends early where a station leaves meanwhile.
      const reply = stationReply(await this.control(network).request(`STA ${mac}`));
      if (reply !== null && isAuthorized(reply.lines) || this.#changed.has(mac)) continue;
      missed = true;
      this.#left(mac, network);
    }
    return missed;
  }

  #attachment(network: string, lines: StatusLines): Attachment {
    const seconds = Number(lines.connected_time) || 0;
    const since = this.#deps.now() - seconds * 1000;
    return { network, link: stationLink(network, lines), since };
  }

  #event(network: string, text: string): void {
    this.#events++;
    const event = stationEvent(text);
    if (event === null) {
      this.#source.happened(text);
      return;
    }
    const { mac } = event;
    this.#changed.add(mac);
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
    const attachment = this.#attachment(network, lines);
    const { link } = attachment;
    this.#attachments.set(mac, attachment);
    const used = keyId === "" && usedSae(lines) ? this.#source.waitingFor(network, mac) : keyId;
    const seconds = Number(lines.connected_time) || 0;
    this.#deps.report({ kind: "connected", mac, network, link, keyId: used, seconds });
  }

  /** Nothing more is requested from a station that left: its interface is remembered. */
  #left(mac: string, network: string): void {
    const attachment = this.#attachments.get(mac) ?? { network, link: network, since: 0 };
    // On its way to another network of the radio it is there already.
    if (attachment.network !== network) return;
    this.#turns.delete(mac);
    this.#unanswered.delete(mac);
    this.#attachments.delete(mac);
    const { link } = attachment;
    this.#deps.report({ kind: "disconnected", mac, network, link });
  }
}

function isAuthorized({ flags }: StatusLines): boolean {
  return flags?.includes("[AUTHORIZED]") ?? false;
}
