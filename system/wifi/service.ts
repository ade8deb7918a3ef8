import { join } from "node:path";
import { InterfaceName } from "../core/net/grammar.ts";
import { createAnew, removeFile } from "../core/config/files.ts";
import { Problem } from "../core/errors/problem.ts";
import { feedPoll, followFeed } from "../core/ipc/feed.ts";
import { socketClient } from "../core/ipc/socket_client.ts";
import { ReportQueue } from "../core/ipc/report_queue.ts";
import type { Log } from "../core/log/log.ts";
import { pause } from "../core/time/pause.ts";
import { attachEvents, ControlSocket, removeOldClients } from "../host/sockets/hostapd_socket.ts";
import {
  checkHostapdFile,
  hostapdRunning,
  hostapdVersion,
  startHostapd,
  stopHostapd,
} from "../host/tools/hostapd.ts";
import { iwScan, iwShow } from "../host/tools/iw.ts";
import { AccessPoint } from "./access_point/access_point.ts";
import type { AccessPointDeps, StationReport } from "./access_point/ports.ts";
import { CHECK_PREFIX, radioOfFile } from "./access_point/radio_files.ts";
import type {
  ChannelSwitch,
  CheckResult,
  CountryRules,
  RadioFactsList,
  StationLines,
  StatusLines,
} from "./control_schema.ts";
import { statusLines } from "./hostapd/replies.ts";
import { Steering } from "./roaming/steering_loop.ts";
import { parseDevices } from "./iw/devices.ts";
import { parseRadios } from "./iw/radios.ts";
import { parseRegulatory } from "./iw/regulatory.ts";
import { parseScan } from "./iw/scan.ts";
import { Supplicants } from "./supplicant/service.ts";
import type { IwDevices, IwNeighbour, IwRadio, IwRegulatory } from "./iw/schema.ts";
import { type PlannedRadio, type RadioState, WifiPlan } from "./plan_schema.ts";
import { installedRegulatory } from "./regulatory/installed.ts";
import { channelProblem, permittedChannels } from "./regulatory/permitted.ts";
import { radioProblem } from "./radio/abilities.ts";
import { radioFacts } from "./radio/facts.ts";
import { bandOf, channelWidth } from "./radio/modes.ts";

/** Milliseconds between two looks whether hostapd still runs: its end has no event when it is killed. */
const WATCH_INTERVAL_MS = 3000;
/** Bytes of a password that nobody knows. */
const SECRET_BYTES = 24;
/** Rounds of a WPA2 key (IEEE 802.11-2020 J.4.1). */
const PMK_ROUNDS = 4096;
const PMK_BITS = 256;
/** Ends the name of a file until it is whole. */
const NEW = ".new";
/** WPA2 keys that are remembered. */
const MAX_PMKS = 4096;

/** Options of {@link startWifid}. */
export interface WifidOptions {
  /** The api's socket for wifid. */
  readonly socket: string;
  /** Folder of the control sockets. */
  readonly folder: string;
  /** Folder of hostapd's files, of mode 0700. */
  readonly hostapdFolder: string;
  readonly log: Log;
}

/** wifid, as its control socket offers it. */
export interface Wifid {
  /** Throws Problem 503 where iw is missing. */
  radios(): Promise<RadioFactsList>;
  /** Throws Problem 404 for a network that is not planned, 502, 503. */
  status(network: string): Promise<StatusLines>;
  stations(network: string): Promise<StationLines>;
  disconnect(network: string, mac: string): Promise<void>;
  switchChannel(radio: string, to: ChannelSwitch): Promise<void>;
  check(radio: PlannedRadio): Promise<CheckResult>;
  /** Throws Problem 503 where the database is missing. */
  countries(): Promise<{ readonly items: string[] }>;
  /** Throws Problem 404 for a country that the database does not know. */
  country(country: string): Promise<CountryRules>;
  /** "" all radios. */
  restart(radio: string): Promise<void>;
  /** Client steering. */
  readonly steering: Pick<Steering, "status" | "history" | "model" | "transition">;
  iwList(): Promise<IwRadio[]>;
  iwDevices(): Promise<IwDevices>;
  iwRegulatory(): Promise<IwRegulatory>;
  iwScan(link: string): Promise<IwNeighbour[]>;
  stop(): Promise<void>;
}

/**
 * Starts wifid: keeps hostapd running on the radios of the api's plan, changes its passwords without a
 * restart, and reports stations. hostapd goes on when wifid ends, and is taken over by the next one.
 */
export async function startWifid(options: WifidOptions): Promise<Wifid> {
  const { log, folder, hostapdFolder } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const api = socketClient({ name: "The api", socket: options.socket, ending: signal });
  const reports = new ReportQueue({
    pause: (ms) => pause(ms, signal),
    ended: () => signal.aborted,
  });
  /** Radios that are planned, or were. */
  const points = new Map<string, AccessPoint>();
  let planned: ReadonlySet<string> = new Set();
  /** The last line of the log about each radio. */
  const logged = new Map<string, string>();
  let wifi7 = false;
  await Deno.mkdir(hostapdFolder, { recursive: true, mode: 0o700 });
  await removeOldClients(folder);
  for (const name of await fileNames(hostapdFolder)) {
    // What a crash left; it may hold a password.
    if (name.startsWith(CHECK_PREFIX) || name.endsWith(NEW)) {
      await removeFile(join(hostapdFolder, name));
    }
  }

  const deps = (): AccessPointDeps => ({
    read: (name) => readPrivate(join(hostapdFolder, name)),
    write: (name, text) => writePrivate(join(hostapdFolder, name), text),
    remove: (name) => removeFile(join(hostapdFolder, name)),
    list: () => fileNames(hostapdFolder),
    path: (name) => join(hostapdFolder, name),
    controlFolder: (radio) => join(folder, `control_${InterfaceName.parse(radio)}`),
    running: hostapdRunning,
    start: startHostapd,
    stop: stopHostapd,
    check: checkHostapdFile,
    control: (radio, network) => new ControlSocket({ server: server(radio, network), folder }),
    attach: (radio, network, onEvent) =>
      attachEvents({ server: server(radio, network), folder }, onEvent),
    facts: async (radio) => {
      const { items } = await radios();
      return items.find(({ name }) => name === radio) ?? null;
    },
    wifi7: () => wifi7,
    pmk: rememberedPmk(),
    secret: () => crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toHex(),
    report,
    changed: (state) => {
      logState(state);
      reports.enqueue("radios", () => send("/radios", { items: states() }));
    },
    pause: (ms) => pause(ms, signal),
    now: () => performance.now(),
  });
  const server = (radio: string, network: string): string =>
    join(folder, `control_${InterfaceName.parse(radio)}`, InterfaceName.parse(network));
  const states = () =>
    [...points.values()].filter(({ name }) => planned.has(name)).map(({ state }) => state);
  const send = async (path: string, body: unknown): Promise<void> => {
    await api.call(path, body);
  };

  function report(about: StationReport): void {
    const { mac: MAC, link: Iface } = about;
    if (about.kind === "connected") {
      const by = about.keyId === "" ? "" : ` by the password of ${about.keyId}`;
      log.info("wifi.station_joined", `${MAC} joined ${Iface}${by}`, { mac: MAC, link: Iface });
      const body = { Iface, MAC, Event: "AP-STA-CONNECTED", KeyId: about.keyId };
      reports.enqueue(`station ${MAC}`, () => send("/reportPSKAuthSuccess", body));
    } else if (about.kind === "disconnected") {
      log.info("wifi.station_left", `${MAC} left ${Iface}`, { mac: MAC, link: Iface });
      const body = { Iface, MAC, Event: "AP-STA-DISCONNECTED" };
      reports.enqueue(`station ${MAC} ${Iface}`, () => send("/reportDisconnect", body));
    } else {
      const Reason = about.known ? "mismatch" : "noentry";
      const body = { Iface, MAC, Type: "wpa", Reason };
      reports.enqueue(`failure ${MAC}`, () => send("/reportPSKAuthFailure", body));
    }
  }

  async function radios(): Promise<RadioFactsList> {
    const [list, devices, domain] = await Promise.all([
      iwShow("list"),
      iwShow("dev"),
      iwShow("reg"),
    ]);
    const version = await hostapdVersion().catch(() => null);
    // hostapd writes 802.11be from 2.11 on.
    wifi7 = version !== null && (version.major > 2 || version.minor >= 11);
    return {
      items: radioFacts(list, devices),
      country: parseRegulatory(domain)?.country ?? "00",
      hostapd: version === null ? "" : `${version.major}.${version.minor}`,
    };
  }

  /** Sets all radios to work at once: none waits for another that takes long to start. */
  async function apply(next: WifiPlan): Promise<void> {
    steering.follow(next);
    await supplicants.apply(next.supplicants);
    planned = new Set(next.radios.map(({ name }) => name));
    // An earlier run may have had radios that are no longer planned.
    for (const file of await fileNames(hostapdFolder)) {
      const radio = radioOfFile(file);
      if (radio !== null && InterfaceName.safeParse(radio).success) await pointFor(radio);
    }
    for (const [name, point] of points) {
      if (!planned.has(name)) point.retire().catch(notDone);
    }
    for (const radio of next.radios) {
      (await pointFor(radio.name)).apply(radio, next.keys).catch(notDone);
    }
    reports.enqueue("radios", () => send("/radios", { items: states() }));
  }

  function logState({ name, state, channel, problem }: RadioState): void {
    const text = `${name}: ${state}${channel === 0 ? "" : ` on channel ${channel}`}`;
    const line = problem === "" ? text : `${text}: ${problem}`;
    if (logged.get(name) === line) return;
    logged.set(name, line);
    log[problem === "" && state !== "missing" ? "info" : "warn"]("wifi.radio_state", line, {
      radio: name,
    });
  }

  /** What was not done is tried again by {@link watch}; a Problem is in the state of its radio. */
  function notDone(error: unknown): void {
    const level = error instanceof Problem ? "debug" : "error";
    log[level]("wifi.radio_failed", "A radio could not be brought to its plan", { error });
  }

  async function pointFor(radio: string): Promise<AccessPoint> {
    let point = points.get(radio);
    if (point === undefined) {
      await Deno.mkdir(join(folder, `control_${radio}`), { recursive: true, mode: 0o750 });
      points.set(radio, point = new AccessPoint(radio, deps()));
    }
    return point;
  }

  async function watch(): Promise<void> {
    const looking = new Set<AccessPoint>();
    while (!signal.aborted) {
      await pause(WATCH_INTERVAL_MS, signal);
      if (!signal.aborted) supplicants.watch();
      for (const point of points.values()) {
        if (signal.aborted || looking.has(point)) continue;
        looking.add(point);
        point.watch().catch(notDone).finally(() => looking.delete(point));
      }
    }
  }

  function pointOf(network: string): AccessPoint {
    const radio = network.replace(/\.ap\d+$/, "");
    const found = points.get(radio);
    if (found === undefined || !planned.has(radio)) {
      throw new Problem(404, `${network} is no access point that is on the air`);
    }
    return found;
  }

  const steering = new Steering({
    stations: async (network) => await pointOf(network).networks.stations(network),
    request: async (network, command) =>
      await pointOf(network).networks.control(network).request(command),
    lines: statusLines,
    read: (name) => readPrivate(join(folder, name)),
    write: (name, text) => writePrivate(join(folder, name), text),
    pause: (ms) => pause(ms, signal),
    ended: () => signal.aborted,
    now: Date.now,
    random: Math.random,
    log,
  });
  const supplicants = new Supplicants({
    folder,
    files: hostapdFolder,
    exists: async (link) => (await radios()).items.some(({ name }) => name === link),
    report: (items) => reports.enqueue("supplicants", () => send("/supplicants", { items })),
    log,
  });
  const work = [
    steering.run(),
    followFeed({ poll: feedPoll(api, "/plan", WifiPlan), apply, log, ending: signal }),
    watch(),
    reports.run(),
  ];
  return {
    radios,
    status: async (network) => await pointOf(network).networks.status(network),
    stations: async (network) => await pointOf(network).networks.stations(network),
    disconnect: async (network, mac) => await pointOf(network).networks.disconnect(network, mac),
    switchChannel: async (radio, to) => await pointOf(radio).switchChannel(to),
    async check(radio) {
      const { items, country } = await radios();
      const facts = items.find(({ name }) => name === radio.name);
      const problem = await legalProblem(radio) ??
        (facts === undefined ? null : radioProblem(radio, facts, country));
      if (problem !== null) return { problem };
      const point = points.get(radio.name) ?? new AccessPoint(radio.name, deps());
      return { problem: await point.check(radio) };
    },
    async countries() {
      return {
        items: [...(await installedRegulatory()).keys()].filter((name) => name !== "00").sort(),
      };
    },
    async country(country) {
      const rules = (await installedRegulatory()).get(country);
      if (rules === undefined) throw new Problem(404, `The database knows no country ${country}`);
      return { country, channels: permittedChannels(rules) };
    },
    async restart(radio) {
      const chosen = radio === "" ? [...planned].map(pointOf) : [pointOf(radio)];
      await Promise.all(chosen.map((point) => point.restart()));
    },
    steering,
    iwList: async () => parseRadios(await iwShow("list")),
    iwDevices: async () => parseDevices(await iwShow("dev")),
    async iwRegulatory() {
      const domain = parseRegulatory(await iwShow("reg"));
      if (domain === null) throw new Problem(502, "iw reports no regulatory domain");
      return domain;
    },
    iwScan: async (link) => parseScan(await iwScan(link)),
    async stop() {
      ending.abort();
      await Promise.all([...work, ...[...points.values()].map((point) => point.close())]);
      await supplicants.close();
      api.close();
    },
  };
}

/** What the country forbids of a plan; null nothing, or where no database is installed. */
async function legalProblem({ settings }: PlannedRadio): Promise<string | null> {
  const known = await installedRegulatory().catch((error) => {
    if (error instanceof Problem) return null;
    throw error;
  });
  if (known === null) return null;
  const rules = known.get(settings.country_code);
  if (rules === undefined) {
    return `The regulatory database knows no country ${settings.country_code}`;
  }
  return channelProblem(permittedChannels(rules), {
    country: settings.country_code,
    band: bandOf(settings),
    channel: settings.channel,
    width: channelWidth(settings),
  });
}

/** WPA2 keys by password and name: hostapd would compute each of them at every reload. */
function rememberedPmk(): AccessPointDeps["pmk"] {
  const known = new Map<string, Promise<string>>();
  return (psk, ssid) => {
    const key = `${ssid.toHex()} ${psk}`;
    let found = known.get(key);
    if (found === undefined) {
      if (known.size >= MAX_PMKS) known.clear();
      known.set(key, found = derivePmk(psk, ssid));
    }
    return found;
  };
}

async function derivePmk(psk: string, salt: Uint8Array<ArrayBuffer>): Promise<string> {
  const secret = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(psk),
    "PBKDF2",
    false,
    ["deriveBits"],
  );
  const algorithm = { name: "PBKDF2", hash: "SHA-1", salt, iterations: PMK_ROUNDS };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, secret, PMK_BITS)).toHex();
}

async function fileNames(folder: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
}

async function readPrivate(path: string): Promise<string | null> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

async function writePrivate(path: string, text: string): Promise<void> {
  const temporary = `${path}${NEW}`;
  {
    using file = await createAnew(temporary);
    const bytes = new TextEncoder().encode(text);
    for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
  }
  await Deno.rename(temporary, path);
}
