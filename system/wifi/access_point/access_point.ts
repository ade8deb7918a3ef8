import { Problem } from "../../core/errors/problem.ts";
import type { ChannelSwitch, RadioFacts } from "../control_schema.ts";
import { channelSwitchCommand, statusLines } from "../hostapd/replies.ts";
import type { PlannedRadio, RadioState, StationKey } from "../plan_schema.ts";
import { failsafeRadio } from "../radio/failsafe.ts";
import { AttachedNetworks } from "./attached_networks.ts";
import type { AccessPointDeps } from "./ports.ts";
import { type OnAir, pskFile, RadioFiles } from "./radio_files.ts";
import { RunningPasswords } from "./running_passwords.ts";

/** Milliseconds for a radio to come up, and between two looks. */
const READY_TIMEOUT_MS = 15_000;
const READY_INTERVAL_MS = 100;
/** Looks in a row at which a hostapd that still runs may not answer: a driver can block it for a while. */
const MAX_MISSED_LOOKS = 3;
/** Milliseconds before a radio that is not there, or takes no configuration, is tried again. */
const RETRY_INTERVAL_MS = 60_000;

const OFF = { channel: 0, frequency: 0, waiting: "" } as const;

/**
 * One radio: its hostapd, the passwords that it accepts, and its stations. What is requested from it is done
 * one after another, and a plan that fails leaves on the air what worked.
 */
export class AccessPoint {
  readonly name: string;
  readonly networks: AttachedNetworks;
  readonly #deps: AccessPointDeps;
  readonly #files: RadioFiles;
  readonly #passwords: RunningPasswords;
  #last: Promise<unknown> = Promise.resolve();
  /** The last plan, which may not be followed yet; null: the radio is to be off. */
  #wanted: { readonly radio: PlannedRadio; readonly keys: readonly StationKey[] } | null = null;
  #applying: Promise<void> | null = null;
  #radio: PlannedRadio | null = null;
  #keys: readonly StationKey[] = [];
  /** The configuration of the plan that was last followed or tried, without passwords; "" none. */
  #frame = "";
  #onAir: OnAir | null = null;
  /** The last plan that worked. */
  #worked: PlannedRadio | null = null;
  /** Something of the plan is not done yet. */
  #isDue = false;
  #missedLooks = 0;
  /** When a radio that is not there, or took no configuration, is tried again. */
  #retryAt = 0;
  #state: RadioState;
  #closed = false;

  constructor(name: string, deps: AccessPointDeps) {
    this.name = name;
    this.#deps = deps;
    this.#files = new RadioFiles(name, deps);
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
    this.#passwords = new RunningPasswords(deps, {
      networks: this.networks,
      reloaded: () => void this.#queue(() => this.#keep()).catch(() => {}),
    });
    this.#state = { name, state: "stopped", problem: "", ...OFF };
  }

  get state(): RadioState {
    return this.#state;
  }

  /**
   * Brings the radio to a plan; the state says what came of it. What hostapd does not take at once is
   * tried again by {@link watch}; then this throws Problem.
   */
  apply(radio: PlannedRadio, keys: readonly StationKey[]): Promise<void> {
    this.#wanted = { radio, keys };
    // Plans that come while a radio starts are one.
    this.#applying ??= this.#queue(async () => {
      this.#applying = null;
      const wanted = this.#wanted;
      if (wanted === null) return;
      this.#radio = wanted.radio;
      this.#keys = wanted.keys;
      await this.#bring(wanted.radio);
    });
    return this.#applying;
  }

  /** Starts hostapd anew, with the same configuration. */
  restart(): Promise<void> {
    return this.#queue(async () => {
      if (this.#radio === null) return;
      await this.#end();
      await this.#bring(this.#radio);
    });
  }

  /** Takes the radio off the air; no password of it stays behind. */
  retire(): Promise<void> {
    this.#wanted = null;
    return this.#queue(async () => {
      // It is planned again meanwhile.
      if (this.#wanted !== null) return;
      this.#radio = null;
      this.#worked = null;
      await this.#end();
      await this.#files.removeExcept([]);
      // A radio that was renamed and is turned off may be used under its new name.
      const facts = await this.#deps.facts(this.name).catch(() => null);
      if (facts !== null) await this.#deps.forget(facts.mac);
      this.#set({ state: "stopped", problem: "", ...OFF });
    });
  }

  /** Looks whether the radio is there and hostapd works, and mends what is not as planned. */
  watch(): Promise<void> {
    return this.#queue(async () => {
      const radio = this.#radio;
      if (radio === null) return;
      if (this.#onAir === null) {
        if (this.#deps.now() >= this.#retryAt) await this.#bring(radio);
        return;
      }
      if (await this.#works()) {
        if (this.#isDue) await this.#bring(radio);
        return;
      }
      await this.#end();
      await this.#bring(radio);
    });
  }

  /** A radio came or went: what waited for one is tried at once. */
  lookAgain(): Promise<void> {
    this.#retryAt = 0;
    return this.watch();
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
    return await this.#files.complaints(radio, await this.#deps.facts(radio.name));
  }

  #queue(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(async () => {
      if (!this.#closed) await work();
    });
    this.#last = done.catch(() => {});
    return done;
  }

  async #bring(radio: PlannedRadio): Promise<void> {
    this.#isDue = true;
    const facts = await this.#facts();
    if (facts === null) return await this.#wait("missing", "");
    const before = this.#deps.nameBefore(this.name, facts.mac);
    if (before !== null) return await this.#wait("renamed", before);
    const frame = this.#files.text(radio, facts, []);
    if (this.#frame === "") await this.#adopt(frame);
    if (this.#frame !== frame || this.#onAir === null) await this.#follow(radio, facts, frame);
    // Also on what took the plan's place: a device that was deleted must not get in there either.
    if (this.#onAir !== null) {
      // hostapd may have given it the address of a network.
      const isGiven = this.#onAir.radio.networks.some(({ bssid }) => bssid === facts.mac);
      if (!isGiven) await this.#deps.remember(this.name, facts.mac);
      await this.#changePasswords(this.#onAir.radio);
    }
    this.#isDue = false;
  }

  /** Stays off the air until another radio has this name. */
  async #wait(state: "missing" | "renamed", problem: string): Promise<void> {
    await this.#end();
    this.#retryAt = this.#deps.now() + RETRY_INTERVAL_MS;
    this.#set({ state, problem, ...OFF });
  }

  /** Facts of the radio. Throws Problem, as where iw is missing; then the state has its words. */
  async #facts(): Promise<RadioFacts | null> {
    try {
      return await this.#deps.facts(this.name);
    } catch (error) {
      if (error instanceof Problem && this.#onAir === null) this.#refuse(error.message);
      throw error;
    }
  }

  #refuse(problem: string): void {
    this.#retryAt = this.#deps.now() + RETRY_INTERVAL_MS;
    this.#set({ state: "refused", problem, ...OFF });
  }

  /** Puts a plan on the air. What fails leaves there what worked. */
  async #follow(radio: PlannedRadio, facts: RadioFacts, frame: string): Promise<void> {
    const { radio: before } = this.#onAir ?? {};
    if (before !== undefined && this.#files.text(before, facts, []) === frame) {
      // Back to what has stayed on the air.
      this.#onAir = { radio, as: "plan" };
      this.#frame = frame;
      this.#set({ problem: "" });
      await this.#look();
      await this.#keep();
      return;
    }
    try {
      const complaints = await this.#files.complaints(radio, facts);
      if (complaints !== "") throw new Problem(502, complaints);
      await this.#start({ radio, as: "plan" }, facts);
      this.#worked = radio;
      this.#set({ problem: "" });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await this.#fallBack(radio, facts, error.message);
    }
    // It is tried again when it changes, or when hostapd is gone.
    this.#frame = frame;
    if (this.#onAir !== null) await this.#look();
    await this.#keep();
  }

  /** Goes on with what runs or has worked, else with a configuration that every radio can do. */
  async #fallBack(radio: PlannedRadio, facts: RadioFacts, problem: string): Promise<void> {
    this.#set({ problem });
    if (this.#onAir !== null && await this.networks.answer()) {
      if (this.#onAir.as === "plan") this.#onAir = { ...this.#onAir, as: "worked" };
      return;
    }
    // hostapd may come up later; the next run finds out.
    if (this.#closed) return;
    const attempts: readonly OnAir[] = [
      ...(this.#worked === null ? [] : [{ radio: this.#worked, as: "worked" as const }]),
      ...failsafeRadio(radio, facts).map((one) => ({ radio: one, as: "failsafe" as const })),
    ];
    for (const attempt of attempts) {
      try {
        await this.#start(attempt, facts);
        return;
      } catch (error) {
        // The next one asks for less.
        if (!(error instanceof Problem)) throw error;
      }
    }
    await this.#end();
    this.#refuse(problem);
  }

  async #start(onAir: OnAir, facts: RadioFacts): Promise<void> {
    const { radio } = onAir;
    await this.#end();
    this.#set({ state: "starting" });
    await this.#files.removeExcept(radio.networks.map(({ name }) => pskFile(name)));
    await this.#passwords.writeFiles(radio, this.#keys);
    await this.#files.write(this.#files.text(radio, facts, this.#keys));
    await this.#deps.start(this.#files.path);
    await this.#ready();
    this.#passwords.started(radio, this.#keys);
    await this.networks.attach(radio.networks);
    this.#onAir = onAir;
    this.#set({ waiting: this.#passwords.waiting });
  }

  async #end(): Promise<void> {
    this.networks.detach();
    await this.#deps.stop(this.#files.path);
    this.networks.allLeft();
    this.#frame = "";
    this.#onAir = null;
    this.#missedLooks = 0;
  }

  /** Waits until the radio is on the air, or hostapd listens for radar or other networks first. */
  async #ready(): Promise<void> {
    const control = this.#deps.control(this.name, this.name);
    try {
      for (let waited = 0; waited < READY_TIMEOUT_MS; waited += READY_INTERVAL_MS) {
        if (this.#closed) return;
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

  /** Takes over a hostapd that an earlier run of ours started for this very configuration. */
  async #adopt(frame: string): Promise<void> {
    const kept = await this.#files.readKept();
    const pid = await this.#deps.running(this.#files.path);
    if (pid === null || kept?.pid !== pid || kept.frame !== frame) return;
    const { onAir, problem, standing } = kept;
    this.#passwords.resume(standing);
    try {
      await this.networks.attach(onAir.radio.networks);
    } catch (error) {
      if (error instanceof Problem) return;
      throw error;
    }
    this.#frame = frame;
    this.#onAir = onAir;
    if (onAir.as !== "failsafe") this.#worked = onAir.radio;
    this.#set({ problem });
    await this.#look();
  }

  async #changePasswords(radio: PlannedRadio): Promise<void> {
    const isChanged = await this.#passwords.change(radio, this.#keys);
    this.#set({ waiting: this.#passwords.waiting });
    if (isChanged) await this.#keep();
    if (!this.#passwords.isOvergrown) return;
    await this.#end();
    await this.#bring(this.#radio!);
  }

  async #keep(): Promise<void> {
    const pid = await this.#deps.running(this.#files.path);
    if (pid === null || this.#onAir === null) return;
    await this.#files.writeKept({
      pid,
      frame: this.#frame,
      onAir: this.#onAir,
      problem: this.#state.problem,
      standing: this.#passwords.standing,
    });
  }

  /** True while hostapd has the radio in use. One that only does not answer has some time to. */
  async #works(): Promise<boolean> {
    if (await this.networks.answer()) {
      this.#missedLooks = 0;
      return await this.#look() !== "DISABLED";
    }
    const isAlive = await this.#deps.running(this.#files.path) !== null;
    return isAlive && ++this.#missedLooks < MAX_MISSED_LOOKS;
  }

  #happened(text: string): void {
    if (!/^(AP|ACS|DFS|INTERFACE|CTRL-EVENT)-/.test(text)) return;
    this.#deps.eventReceived(this.name, text);
    this.watch().catch(() => {
      // The next look finds the same.
    });
  }

  /** Reads state and channel from hostapd; answers its word for the state. */
  async #look(): Promise<string> {
    const { state = "", channel, freq } = await this.networks.status(this.name);
    const live = state === "ENABLED" ? "enabled" : "starting";
    const states = { plan: live, worked: "refused", failsafe: "failsafe" } as const;
    this.#set({
      state: states[this.#onAir?.as ?? "plan"],
      channel: Number(channel) || 0,
      frequency: Number(freq) || 0,
    });
    return state;
  }

  #set(change: Partial<RadioState>): void {
    const next = { ...this.#state, ...change };
    if (JSON.stringify(next) === JSON.stringify(this.#state)) return;
    this.#state = next;
    this.#deps.changed(next);
  }
}
