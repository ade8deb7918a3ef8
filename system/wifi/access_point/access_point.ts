import { isRecord } from "../../core/config/json.ts";
import { Problem } from "../../core/errors/problem.ts";
import type { ChannelSwitch, RadioFacts } from "../control_schema.ts";
import { bandOf, hostapdFile } from "../hostapd/hostapd_file.ts";
import { channelSwitchCommand, statusLines } from "../hostapd/replies.ts";
import { passwordsOf, saeValues, type StandingPasswords } from "../keys/network_keys.ts";
import type { PlannedRadio, RadioState, StationKey } from "../plan_schema.ts";
import { failsafeRadio } from "../radio/failsafe.ts";
import { AttachedNetworks } from "./attached_networks.ts";
import type { AccessPointDeps } from "./ports.ts";
import { RunningPasswords } from "./running_passwords.ts";

/** Milliseconds for a radio to come up, and between two looks. */
const READY_TIMEOUT_MS = 15_000;
const READY_INTERVAL_MS = 100;

/** Looks without an answer of hostapd after which it is started anew although it runs. */
const MAX_SILENT_LOOKS = 3;
/** Looks before a radio that failed is tried again: doubled at each failure, up to the second. */
const MIN_RETRY_LOOKS = 3, MAX_RETRY_LOOKS = 100;

const OFF = { channel: 0, frequency: 0, waiting: "" } as const;

/** What is kept of a running hostapd, so that it can be adopted. */
interface Kept {
  readonly pid: number;
  /** Its configuration, without passwords. */
  readonly frame: string;
  /** The plan that is on the air, which may be a simpler one. */
  readonly running: PlannedRadio;
  readonly state: RadioState["state"];
  readonly problem: string;
  readonly standing: Readonly<Record<string, StandingPasswords>>;
}

/**
 * One radio: its hostapd, the passwords that it accepts, and its stations. What is asked of it is done
 * one after another, and a plan that fails leaves on the air what worked.
 */
export class AccessPoint {
  readonly name: string;
  readonly networks: AttachedNetworks;
  readonly #deps: AccessPointDeps;
  readonly #passwords: RunningPasswords;
  #last: Promise<unknown> = Promise.resolve();
  #radio: PlannedRadio | null = null;
  #keys: readonly StationKey[] = [];
  /** The configuration of the plan that was last followed, without passwords; "" none. */
  #frame = "";
  /** What is on the air: the plan, the one before it, or a simpler one. */
  #running: PlannedRadio | null = null;
  /** The last plan that worked. */
  #worked: PlannedRadio | null = null;
  /** Something failed that must be done again. */
  #isDue = false;
  #silentLooks = 0;
  #retryLooks = 0;
  #retryAfter = MIN_RETRY_LOOKS;
  #checks = 0;
  #state: RadioState;
  #closed = false;

  constructor(name: string, deps: AccessPointDeps) {
    this.name = name;
    this.#deps = deps;
    this.networks = new AttachedNetworks(deps, {
      radio: name,
      waitingFor: (network, mac) => {
        const passwords = this.#passwords.of(network);
        if (passwords === undefined || mac in passwords.sae) return "";
        return passwords.waiting?.identity ?? "";
      },
      isKnown: (mac) => this.#keys.some((key) => key.mac === mac),
      happened: (text) => this.#happened(text),
    });
    this.#passwords = new RunningPasswords(deps, this.networks);
    this.#state = { name, state: "stopped", problem: "", ...OFF };
  }

  get state(): RadioState {
    return this.#state;
  }

  /** Brings the radio to a plan; the state says what came of it. */
  apply(radio: PlannedRadio, keys: readonly StationKey[]): Promise<void> {
    return this.#queue(async () => {
      this.#radio = radio;
      this.#keys = keys;
      this.#retryAfter = MIN_RETRY_LOOKS;
      await this.#bring(radio);
    });
  }

  /** Starts hostapd anew, with the same configuration. */
  restart(): Promise<void> {
    return this.#queue(async () => {
      if (this.#radio === null) return;
      await this.#end();
      await this.#bring(this.#radio);
    });
  }

  /** Takes the radio off the air. */
  retire(): Promise<void> {
    return this.#queue(async () => {
      this.#radio = null;
      this.#worked = null;
      const networks = this.#running?.networks ?? [];
      await this.#end();
      // They hold passwords.
      for (const { name } of networks) await this.#deps.remove(`${name}.psk`);
      await this.#deps.remove(`hostapd_${this.name}.conf`);
      await this.#deps.remove(`radio_${this.name}.json`);
      this.#set({ state: "stopped", problem: "", ...OFF });
    });
  }

  /** Looks whether hostapd still runs, and brings it back. */
  watch(): Promise<void> {
    return this.#queue(async () => {
      const radio = this.#radio;
      if (radio === null) return;
      if (this.#running !== null) {
        if (await this.networks.answer()) {
          this.#silentLooks = 0;
          if (this.#isDue || this.#passwords.isDue) await this.#bring(radio);
          return;
        }
        const isAlive = await this.#deps.running(this.#file) !== null;
        if (isAlive && ++this.#silentLooks < MAX_SILENT_LOOKS) return;
        await this.#end();
      } else if (this.#state.state === "missing") {
        if (await this.#deps.facts(radio.name) === null) return;
      } else if (++this.#retryLooks < this.#retryAfter) return;
      this.#retryLooks = 0;
      await this.#bring(radio);
    });
  }

  /** Ends our part; hostapd goes on. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
    await this.#passwords.settled();
    this.networks.detach();
  }

  /** Changes the channel now; the configuration stays. Throws Problem with hostapd's words. */
  async switchChannel(to: ChannelSwitch): Promise<void> {
    await this.networks.control(this.name).order(channelSwitchCommand(to));
    await this.#look();
  }

  /** hostapd's complaints about a plan; "" none. Throws Problem 503 where it is not installed. */
  async check(radio: PlannedRadio): Promise<string> {
    return await this.#complaints(radio, await this.#deps.facts(radio.name));
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
      await this.#end();
      this.#set({ state: "missing", problem: "", ...OFF });
      return;
    }
    const frame = this.#text(radio, facts, []);
    this.#isDue = false;
    try {
      if (this.#running === null && await this.#adopt(radio, frame)) return;
      if (this.#frame === frame && this.#running !== null) {
        await this.#changePasswords();
        return;
      }
      const complaints = await this.#complaints(radio, facts);
      if (complaints !== "") throw new Problem(502, complaints);
      await this.#start(radio, facts);
      this.#worked = radio;
      this.#frame = frame;
      this.#retryAfter = MIN_RETRY_LOOKS;
      await this.#look("");
      await this.#keep();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (this.#frame === frame && this.#running !== null) {
        // The radio is as it should be, and hostapd did not take its passwords: the next look repeats it.
        this.#isDue = true;
        return;
      }
      await this.#fallBack(facts, error.message);
      // The plan is tried again when it changes, or when hostapd is gone.
      this.#frame = frame;
      this.#retryAfter = Math.min(MAX_RETRY_LOOKS, this.#retryAfter * 2);
      await this.#keep();
      await this.#changePasswords().catch((failure) => {
        if (!(failure instanceof Problem)) throw failure;
        this.#isDue = true;
      });
    }
  }

  /** Goes on with what runs or has worked, else with a configuration that every radio can do. */
  async #fallBack(facts: RadioFacts, words: string): Promise<void> {
    if (this.#running !== null && await this.networks.answer()) {
      this.#set({ state: "refused", problem: words });
      return;
    }
    const attempts = [
      ...(this.#worked === null ? [] : [{ radio: this.#worked, state: "refused" as const }]),
      ...failsafeRadio(this.#radio!, facts).map((radio) => ({ radio, state: "failsafe" as const })),
    ];
    for (const { radio, state } of attempts) {
      try {
        await this.#start(radio, facts);
        await this.#look();
        this.#set({ state, problem: words });
        return;
      } catch (error) {
        // The next one asks for less.
        if (!(error instanceof Problem)) throw error;
      }
    }
    await this.#end();
    this.#set({ state: "refused", problem: words, ...OFF });
  }

  /** The configuration with the passwords of these keys. */
  #text(radio: PlannedRadio, facts: RadioFacts | null, keys: readonly StationKey[]): string {
    const band = bandOf(radio.settings);
    return hostapdFile(radio, {
      controlFolder: this.#deps.controlFolder(radio.name),
      capabilities: facts?.bands.find((one) => one.band === band) ?? null,
      wifi7: this.#deps.wifi7,
      keysOf: (name) => ({
        pskFile: this.#deps.path(`${name}.psk`),
        saePasswords: saeValues(
          passwordsOf(radio.networks.find((network) => network.name === name)!, keys),
        ),
      }),
    });
  }

  /** Lets hostapd read a configuration that can touch no radio; "" where it has no complaint. */
  async #complaints(radio: PlannedRadio, facts: RadioFacts | null): Promise<string> {
    const name = `check_${this.name}_${++this.#checks}.conf`;
    const text = this.#text(radio, facts, [])
      .replace(/^driver=.*$/m, "driver=none")
      .replace(/^ctrl_interface=.*\n/gm, "")
      // The files of keys may not be there yet; any password does for a look at the rest.
      .replace(/^wpa_psk_file=.*$/gm, `wpa_passphrase=${this.#deps.secret()}`);
    await this.#deps.write(name, text);
    try {
      return await this.#deps.check(this.#deps.path(name)) ?? "";
    } finally {
      await this.#deps.remove(name);
    }
  }

  async #start(radio: PlannedRadio, facts: RadioFacts): Promise<void> {
    await this.#end();
    this.#set({ state: "starting" });
    await this.#passwords.writeFiles(radio, this.#keys);
    const name = `hostapd_${this.name}.conf`;
    await this.#deps.write(name, this.#text(radio, facts, this.#keys));
    await this.#deps.start(this.#file);
    await this.#ready();
    this.#passwords.started(radio, this.#keys);
    await this.networks.attach(radio.networks);
    this.#running = radio;
    this.#silentLooks = 0;
    this.#set({ waiting: this.#passwords.waiting });
  }

  async #end(): Promise<void> {
    this.#running = null;
    this.networks.detach();
    await this.#deps.stop(this.#file);
    this.networks.allLeft();
    this.#frame = "";
  }

  /** Waits until the radio is on the air, or hostapd listens for radar or other networks first. */
  async #ready(): Promise<void> {
    const control = this.#deps.control(this.name, this.name);
    try {
      for (let waited = 0; waited < READY_TIMEOUT_MS; waited += READY_INTERVAL_MS) {
        const state = await control.request("STATUS").then((reply) => statusLines(reply).state)
          .catch(() => undefined);
        if (state === "ENABLED" || state === "DFS" || state === "ACS") return;
        if (state === "DISABLED") break;
        await this.#deps.pause(READY_INTERVAL_MS);
      }
    } finally {
      control.close();
    }
    throw new Problem(502, "hostapd started, but the radio did not come up");
  }

  /** Takes over a hostapd that an earlier run of ours started with this very configuration. */
  async #adopt(radio: PlannedRadio, frame: string): Promise<boolean> {
    const kept = parseKept(await this.#deps.read(`radio_${this.name}.json`));
    const pid = await this.#deps.running(this.#file);
    if (pid === null || kept?.pid !== pid || kept.frame !== frame) return false;
    this.#passwords.resume(kept.standing);
    try {
      await this.networks.attach(kept.running.networks);
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
    this.#frame = frame;
    this.#running = kept.running;
    if (kept.problem === "") this.#worked = radio;
    this.#set({ state: kept.state, problem: kept.problem });
    await this.#changePasswords();
    await this.#look();
    return true;
  }

  /** Brings what is on the air to the passwords of the plan. */
  async #changePasswords(): Promise<void> {
    if (this.#running === null) return;
    await this.#passwords.change(this.#running, this.#keys);
    this.#set({ waiting: this.#passwords.waiting });
    await this.#keep();
    if (!this.#passwords.isOvergrown) return;
    await this.#end();
    await this.#bring(this.#radio!);
  }

  /** Keeps what the next run needs to take hostapd over. */
  async #keep(): Promise<void> {
    const running = this.#running;
    const pid = running === null ? null : await this.#deps.running(this.#file);
    if (running === null || pid === null) return;
    const { state, problem } = this.#state;
    const { standing } = this.#passwords;
    const kept: Kept = { pid, frame: this.#frame, running, state, problem, standing };
    await this.#deps.write(`radio_${this.name}.json`, JSON.stringify(kept));
  }

  #happened(text: string): void {
    if (/^(CTRL-EVENT-TERMINATING|AP-DISABLED|INTERFACE-DISABLED)/.test(text)) {
      this.watch().catch(() => {});
    } else if (/^(AP|ACS|DFS|CTRL-EVENT-CHANNEL)-/.test(text)) {
      this.#queue(() => this.#look()).catch(() => {
        // hostapd is gone, which the next look finds.
      });
    }
  }

  /** Reads state and channel from hostapd. */
  async #look(problem = this.#state.problem): Promise<void> {
    const { state, channel, freq } = await this.networks.status(this.name);
    const isFallback = problem !== "" && ["failsafe", "refused"].includes(this.#state.state);
    const live = state === "ENABLED" ? "enabled" : "starting";
    this.#set({
      state: isFallback ? this.#state.state : live,
      channel: Number(channel) || 0,
      frequency: Number(freq) || 0,
      problem,
    });
  }

  #set(change: Partial<RadioState>): void {
    const next = { ...this.#state, ...change };
    if (JSON.stringify(next) === JSON.stringify(this.#state)) return;
    this.#state = next;
    this.#deps.changed();
  }
}

function parseKept(text: string | null): Kept | null {
  try {
    const raw: unknown = text === null ? null : JSON.parse(text);
    return isRecord(raw) && isRecord(raw["standing"]) && isRecord(raw["running"])
      ? raw as unknown as Kept
      : null;
  } catch {
    // A damaged file says nothing: hostapd is started anew.
    return null;
  }
}
