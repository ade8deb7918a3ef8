import { Problem } from "../core/errors/problem.ts";
import type { ChannelSwitch, RadioFacts, StationLines, StatusLines } from "./control_schema.ts";
import { bandOf, hostapdFile } from "./hostapd/hostapd_file.ts";
import {
  channelSwitchCommand,
  stationEvent,
  stationReply,
  statusLines,
  usedSae,
} from "./hostapd/replies.ts";
import {
  changePasswords,
  passwordsOf,
  pskFileText,
  saeValues,
  type StandingPasswords,
  startedWith,
} from "./keys/network_keys.ts";
import type { PlannedBss, PlannedRadio, RadioState, StationKey } from "./plan_schema.ts";
import { failsafeRadio } from "./radio/failsafe.ts";
import { ssidBytes } from "./radio/settings_schema.ts";

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
    readonly link: string;
    readonly keyId: string;
  }
  | { readonly kind: "disconnected"; readonly mac: string; readonly link: string }
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
  /** Facts of a radio; null while it is not there. */
  readonly facts: (radio: string) => Promise<RadioFacts | null>;
  readonly wifi7: boolean;
  /** WPA2 key of a password in hexadecimal (IEEE 802.11-2020 J.4.1). */
  readonly pmk: (psk: string, ssid: Uint8Array<ArrayBuffer>) => Promise<string>;
  /** A password that nobody knows. */
  readonly secret: () => string;
  readonly report: (report: StationReport) => void;
  readonly changed: () => void;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** WPA2 changes within this many milliseconds share one reload. */
const RELOAD_INTERVAL_MS = 2000;
/** Entries for WPA3 beyond which hostapd is started anew: {@link changePasswords} only adds to them. */
const MAX_SPARE_ENTRIES = 1000;
/** Milliseconds for a radio to come up, and between two looks. */
const READY_TIMEOUT_MS = 15_000;
const READY_INTERVAL_MS = 200;
/** Stations of one network. */
const MAX_STATIONS = 2048;

interface Network {
  readonly plan: PlannedBss;
  readonly control: Control;
  readonly events: { close(): void };
}

/** What is kept of a running hostapd, so that it can be adopted. */
interface Kept {
  readonly pid: number;
  readonly frame: string;
  readonly standing: Readonly<Record<string, StandingPasswords>>;
}

/**
 * One radio: its hostapd, the passwords that it accepts, and its stations. Nothing that goes on here at
 * the same time: what is asked of it is done in order.
 */
export class AccessPoint {
  readonly name: string;
  readonly #deps: AccessPointDeps;
  #last: Promise<unknown> = Promise.resolve();
  #radio: PlannedRadio | null = null;
  #keys: readonly StationKey[] = [];
  /** The configuration that runs, without passwords; "" none. */
  #frame = "";
  /** The last plan that was on the air. */
  #worked: PlannedRadio | null = null;
  #networks = new Map<string, Network>();
  #standing = new Map<string, StandingPasswords>();
  /** Interface of each station. */
  #links = new Map<string, string>();
  #reloaded = -Infinity;
  #reload: Promise<void> | null = null;
  #state: RadioState;
  #closed = false;

  constructor(name: string, deps: AccessPointDeps) {
    this.name = name;
    this.#deps = deps;
    this.#state = {
      name,
      state: "stopped",
      channel: 0,
      frequency: 0,
      problem: "",
      waiting: "",
    };
  }

  get state(): RadioState {
    return this.#state;
  }

  /** Networks that are on the air. */
  get networks(): readonly string[] {
    return [...this.#networks.keys()];
  }

  /** Brings the radio to a plan; throws nothing: the state says what came of it. */
  apply(radio: PlannedRadio, keys: readonly StationKey[]): Promise<void> {
    return this.#queue(async () => {
      this.#radio = radio;
      this.#keys = keys;
      await this.#bring(radio);
    });
  }

  /** Starts hostapd anew, with the same configuration. */
  restart(): Promise<void> {
    return this.#queue(async () => {
      if (this.#radio === null) return;
      this.#frame = "";
      await this.#bring(this.#radio);
    });
  }

  /** Takes the radio off the air. */
  retire(): Promise<void> {
    return this.#queue(async () => {
      this.#radio = null;
      this.#leave();
      await this.#deps.stop(this.#file);
      this.#frame = "";
      for (const [mac, link] of this.#links) this.#left(mac, link);
      this.#set({ state: "stopped", channel: 0, frequency: 0, problem: "", waiting: "" });
    });
  }

  /** Looks whether hostapd still runs, and brings it back. */
  watch(): Promise<void> {
    return this.#queue(async () => {
      if (this.#radio === null) return;
      if (this.#networks.size > 0 && await this.#answers()) return;
      this.#leave();
      await this.#bring(this.#radio);
    });
  }

  /** Ends our part; hostapd goes on. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
    await this.#reload;
    this.#leave();
  }

  /** hostapd's status of a network. Throws Problem 404, 502, 503. */
  async status(network: string): Promise<StatusLines> {
    return statusLines(await this.#control(network).request("STATUS"));
  }

  /** Stations of a network. Throws Problem 404, 502, 503. */
  async stations(network: string): Promise<StationLines> {
    const control = this.#control(network);
    const found: Record<string, StatusLines> = {};
    let next = stationReply(await control.request("STA-FIRST"));
    for (let n = 0; next !== null && n < MAX_STATIONS && !(next.mac in found); n++) {
      found[next.mac] = next.lines;
      next = stationReply(await control.request(`STA-NEXT ${next.mac}`));
    }
    return found;
  }

  /** Disconnects a station from a network; one that is not there is no error. */
  async deauthenticate(network: string, mac: string): Promise<void> {
    const control = this.#control(network);
    await control.request(`DISASSOCIATE ${mac}`);
    await control.request(`DEAUTHENTICATE ${mac}`);
  }

  /** Changes the channel now; the configuration stays. Throws Problem with hostapd's words. */
  async switchChannel(to: ChannelSwitch): Promise<void> {
    await this.#control(this.name).order(channelSwitchCommand(to));
    await this.#look();
  }

  /** hostapd's complaints about a plan; "" none. */
  async check(radio: PlannedRadio): Promise<string> {
    const facts = await this.#deps.facts(radio.name);
    return await this.#complaints(this.#text(radio, facts, []));
  }

  get #file(): string {
    return this.#deps.path(`hostapd_${this.name}.conf`);
  }

  #queue(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(async () => {
      if (!this.#closed) await work();
    });
    this.#last = done.catch(() => {});
    return done;
  }

  async #bring(radio: PlannedRadio): Promise<void> {
    const facts = await this.#deps.facts(radio.name);
    if (facts === null) {
      this.#leave();
      this.#frame = "";
      this.#set({ state: "missing", channel: 0, frequency: 0, problem: "" });
      return;
    }
    const frame = this.#text(radio, facts, null);
    if (frame === this.#frame && this.#networks.size > 0) {
      await this.#setPasswords(radio);
      return;
    }
    if (this.#frame === "" && await this.#adopt(radio, frame)) return;
    const complaints = await this.#complaints(this.#text(radio, facts, []));
    if (complaints !== "") {
      await this.#refused(facts, complaints);
      return;
    }
    try {
      await this.#start(radio, facts, frame);
      this.#worked = radio;
      await this.#look("");
    } catch (error) {
      await this.#refused(facts, wordsOf(error));
    }
  }

  /** Goes back to what worked, else to a configuration that every radio can do. */
  async #refused(facts: RadioFacts, words: string): Promise<void> {
    if (this.#networks.size > 0 && await this.#answers()) {
      this.#set({ state: "refused", problem: words });
      return;
    }
    const attempts = [
      ...(this.#worked === null ? [] : [{ radio: this.#worked, state: "refused" as const }]),
      ...failsafeRadio(this.#radio!, facts).map((radio) => ({ radio, state: "failsafe" as const })),
    ];
    for (const { radio, state } of attempts) {
      try {
        await this.#start(radio, facts, this.#text(radio, facts, null));
        // The plan is tried again when it changes.
        this.#frame = this.#text(this.#radio!, facts, null);
        await this.#look();
        this.#set({ state, problem: words });
        return;
      } catch {
        // The next one is simpler.
      }
    }
    this.#set({ state: "refused", channel: 0, frequency: 0, problem: words });
  }

  #text(
    radio: PlannedRadio,
    facts: RadioFacts | null,
    keys: readonly StationKey[] | null,
  ): string {
    const band = bandOf(radio.settings);
    const own = facts?.bands.find((one) => one.band === band);
    return hostapdFile(radio, {
      controlFolder: this.#deps.controlFolder(radio.name),
      capabilities: own ?? null,
      wifi7: this.#deps.wifi7,
      keysOf: (network) => ({
        pskFile: this.#deps.path(`${network}.psk`),
        saePasswords: keys === null
          ? []
          : saeValues(passwordsOf(radio.networks.find(({ name }) => name === network)!, keys)),
      }),
    });
  }

  /** Lets hostapd read a file that can touch no radio. */
  async #complaints(text: string): Promise<string> {
    const name = `check_${this.name}.conf`;
    const harmless = text.replace(/^driver=.*$/m, "driver=none")
      .replace(/^(ctrl_interface|wpa_psk_file)=.*\n/gm, "")
      // A network whose only password is in a file needs another one here.
      .replace(/^(wpa_key_mgmt=.*WPA-PSK.*)$/gm, `$1\nwpa_passphrase=${this.#deps.secret()}`)
      .replace(/^(wpa_passphrase=.*\n)((?:.*\n)*?)wpa_passphrase=.*\n/gm, "$1$2");
    await this.#deps.write(name, harmless);
    try {
      return await this.#deps.check(this.#deps.path(name)) ?? "";
    } finally {
      await this.#deps.remove(name);
    }
  }

  async #start(radio: PlannedRadio, facts: RadioFacts, frame: string): Promise<void> {
    this.#leave();
    await this.#deps.stop(this.#file);
    for (const [mac, link] of this.#links) this.#left(mac, link);
    for (const network of radio.networks) await this.#writePskFile(network);
    await this.#deps.write(`hostapd_${this.name}.conf`, this.#text(radio, facts, this.#keys));
    this.#set({ state: "starting" });
    await this.#deps.start(this.#file);
    await this.#ready();
    this.#standing = new Map(
      radio.networks.map((
        network,
      ) => [network.name, startedWith(passwordsOf(network, this.#keys))]),
    );
    await this.#attach(radio);
    this.#frame = frame;
    this.#waiting();
    await this.#keep();
  }

  /** Waits until hostapd answers and is not in the middle of its start. */
  async #ready(): Promise<void> {
    const control = this.#deps.control(this.name, this.name);
    try {
      for (let waited = 0; waited < READY_TIMEOUT_MS; waited += READY_INTERVAL_MS) {
        const state = await control.request("STATUS").then((reply) => statusLines(reply).state)
          .catch(() => undefined);
        // Listening for radar takes minutes.
        if (state === "ENABLED" || state === "DFS" || state === "ACS") return;
        if (state === "DISABLED") break;
        await this.#deps.pause(READY_INTERVAL_MS);
      }
    } finally {
      control.close();
    }
    throw new Problem(502, "hostapd started, but the radio did not come up");
  }

  /** Takes over a hostapd of an earlier run that has this very configuration. */
  async #adopt(radio: PlannedRadio, frame: string): Promise<boolean> {
    const kept = parseKept(await this.#deps.read(`radio_${this.name}.json`));
    const pid = await this.#deps.running(this.#file);
    if (pid === null || kept?.pid !== pid || kept.frame !== frame) return false;
    try {
      await this.#attach(radio);
    } catch {
      return false;
    }
    this.#frame = frame;
    this.#worked = radio;
    this.#standing = new Map(Object.entries(kept.standing));
    await this.#setPasswords(radio);
    await this.#look("");
    return true;
  }

  async #attach(radio: PlannedRadio): Promise<void> {
    const radioName = radio.name;
    try {
      for (const plan of radio.networks) {
        const events = await this.#deps.attach(
          radioName,
          plan.name,
          (text) => this.#event(plan.name, text),
        );
        this.#networks.set(plan.name, {
          plan,
          events,
          control: this.#deps.control(radioName, plan.name),
        });
      }
    } catch (error) {
      this.#leave();
      throw error;
    }
    for (const { name } of radio.networks) await this.#reportPresent(name);
  }

  #leave(): void {
    for (const { control, events } of this.#networks.values()) {
      control.close();
      events.close();
    }
    this.#networks.clear();
  }

  async #answers(): Promise<boolean> {
    for (const { control } of this.#networks.values()) {
      if (await control.request("PING").catch(() => "") !== "PONG") return false;
    }
    return true;
  }

  /** Reports stations that were there before we listened. */
  async #reportPresent(network: string): Promise<void> {
    const stations = await this.stations(network);
    for (const [mac, lines] of Object.entries(stations)) {
      if (lines.flags?.includes("[AUTHORIZED]")) this.#joined(network, mac, lines, "");
    }
  }

  async #setPasswords(radio: PlannedRadio): Promise<void> {
    const before = this.#state.waiting;
    for (const network of radio.networks) {
      if (network.password !== "" || network.wpa === 0) continue;
      const { control } = this.#networks.get(network.name)!;
      const standing = this.#standing.get(network.name) ?? null;
      const change = changePasswords(standing, passwordsOf(network, this.#keys), {
        secret: this.#deps.secret,
        hashToElement: radio.settings.op_class >= 131 ? 1 : 2,
      });
      for (const command of change.commands) await control.order(command);
      this.#standing.set(network.name, change.next);
      const written = await this.#writePskFile(network);
      // The file is in force before a station whose key is gone can come back.
      if (written) await this.#scheduleReload(change.disconnect.length > 0);
      for (const mac of change.disconnect) await this.deauthenticate(network.name, mac);
    }
    this.#waiting();
    if (before !== this.#state.waiting) this.#deps.changed();
    await this.#keep();
    const spare = [...this.#standing.values()].some(({ entries, sae }) =>
      entries > MAX_SPARE_ENTRIES + 4 * Object.keys(sae).length
    );
    if (!spare) return;
    this.#frame = "";
    this.#leave();
    await this.#deps.stop(this.#file);
    await this.#bring(radio);
  }

  async #writePskFile(network: PlannedBss): Promise<boolean> {
    const { wpa2 } = passwordsOf(network, this.#keys);
    const ssid = ssidBytes({ ssid: network.ssid, ssid_hex: network.ssidHex });
    const keys = new Map<string, string>();
    for (const { psk } of wpa2) keys.set(psk, await this.#deps.pmk(psk, ssid));
    const text = pskFileText(wpa2, (psk) => keys.get(psk)!);
    const name = `${network.name}.psk`;
    if (await this.#deps.read(name) === text) return false;
    await this.#deps.write(name, text);
    return true;
  }

  /** Lets hostapd read the WPA2 keys: at once, or together with those of the next two seconds. */
  async #scheduleReload(isUrgent: boolean): Promise<void> {
    const wait = this.#reloaded + RELOAD_INTERVAL_MS - this.#deps.now();
    if (isUrgent || wait <= 0) {
      await this.#reloadKeys();
      return;
    }
    this.#reload ??= this.#deps.pause(wait).then(() => {
      this.#reload = null;
      return this.#closed ? undefined : this.#queue(() => this.#reloadKeys());
    }).catch(() => {});
  }

  async #reloadKeys(): Promise<void> {
    this.#reloaded = this.#deps.now();
    for (const { control, plan } of this.#networks.values()) {
      if (plan.password === "" && plan.keyManagement.some((word) => word !== "SAE")) {
        await control.order("RELOAD_WPA_PSK");
      }
    }
  }

  #waiting(): void {
    const identity = [...this.#standing.values()].map(({ waiting }) => waiting?.identity)
      .find((one) => one !== undefined) ?? "";
    this.#state = { ...this.#state, waiting: identity };
  }

  async #keep(): Promise<void> {
    const pid = await this.#deps.running(this.#file);
    if (pid === null) return;
    const kept: Kept = {
      pid,
      frame: this.#frame,
      standing: Object.fromEntries(this.#standing),
    };
    await this.#deps.write(`radio_${this.name}.json`, JSON.stringify(kept));
  }

  #event(network: string, text: string): void {
    if (/^(AP|ACS|DFS)-/.test(text) && !text.startsWith("AP-STA-")) {
      void this.#queue(() => this.#look()).catch(() => {});
    }
    if (text.startsWith("CTRL-EVENT-TERMINATING") || text.startsWith("AP-DISABLED")) {
      void this.watch().catch(() => {});
    }
    const event = stationEvent(text);
    if (event === null) return;
    const { mac } = event;
    if (event.kind === "connected") {
      const control = this.#networks.get(network)?.control;
      control?.request(`STA ${mac}`).then((reply) =>
        this.#joined(network, mac, stationReply(reply)?.lines ?? {}, event.keyId)
      ).catch(() => {
        // It is gone already, or hostapd is: the next look tells.
      });
    } else if (event.kind === "disconnected") this.#left(mac, this.#links.get(mac) ?? network);
    else {
      const known = this.#keys.some((key) => key.mac === mac);
      this.#deps.report({ kind: "mismatch", mac, link: network, known });
    }
  }

  #joined(network: string, mac: string, lines: StatusLines, keyId: string): void {
    const { vlan_id: own } = lines;
    const link = own === undefined || own === "0" ? network : `${network}.${own}`;
    const standing = this.#standing.get(network);
    const isWaiting = keyId === "" && usedSae(lines) && !(mac in (standing?.sae ?? {}));
    this.#links.set(mac, link);
    this.#deps.report({
      kind: "connected",
      mac,
      link,
      keyId: isWaiting ? standing?.waiting?.identity ?? "" : keyId,
    });
  }

  #left(mac: string, link: string): void {
    this.#links.delete(mac);
    this.#deps.report({ kind: "disconnected", mac, link });
  }

  /** Reads state and channel. */
  async #look(problem = this.#state.problem): Promise<void> {
    const control = this.#networks.get(this.name)?.control;
    if (control === undefined) return;
    const { state, channel, freq } = statusLines(await control.request("STATUS"));
    const kept = this.#state.state === "failsafe" || this.#state.state === "refused";
    this.#set({
      state: problem !== "" && kept
        ? this.#state.state
        : state === "ENABLED"
        ? "enabled"
        : "starting",
      channel: Number(channel ?? 0) || 0,
      frequency: Number(freq ?? 0) || 0,
      problem,
    });
  }

  #set(change: Partial<RadioState>): void {
    this.#state = { ...this.#state, ...change };
    this.#deps.changed();
  }

  #control(network: string): Control {
    const found = this.#networks.get(network);
    if (found === undefined) throw new Problem(503, `${network} is not on the air`);
    return found.control;
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof Problem) return error.message;
  throw error;
}

function parseKept(text: string | null): Kept | null {
  try {
    return text === null ? null : JSON.parse(text) as Kept;
  } catch {
    return null;
  }
}
