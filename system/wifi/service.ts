import { join } from "node:path";
import * as z from "zod";
import { InterfaceName, Mac } from "../core/net/grammar.ts";
import { removeFile } from "../core/config/files.ts";
import { Problem, sentence } from "../core/errors/problem.ts";
import { feedPoll, followFeed } from "../core/ipc/feed.ts";
import { socketClient } from "../core/ipc/socket_client.ts";
import { ReportQueue } from "../core/ipc/report_queue.ts";
import type { Log } from "../core/log/log.ts";
import { pause } from "../core/time/pause.ts";
import { sendFrame } from "../host/netlink/wireless/frames.ts";
import { attachEvents, ControlSocket, removeOldClients } from "../host/sockets/hostapd_socket.ts";
import {
  checkHostapdFile,
  hostapdRunning,
  hostapdVersion,
  startHostapd,
  stopHostapd,
} from "../host/tools/hostapd.ts";
import { followRadios, iwChannels, iwScan, iwShow, iwStations } from "../host/tools/iw.ts";
import { AccessPoint } from "./access_point/access_point.ts";
import type { AccessPointDeps, StationReport } from "./access_point/ports.ts";
import { CHECK_PREFIX, radioOfFile } from "./access_point/radio_files.ts";
import type { RadioFactsList } from "./control_schema.ts";
import { statusLines } from "./hostapd/replies.ts";
import { Steering } from "./roaming/steering_loop.ts";
import { parseDevices } from "./iw/devices.ts";
import { parseRadios } from "./iw/radios.ts";
import { parseRegulatory } from "./iw/regulatory.ts";
import { parseScan } from "./iw/scan.ts";
import { RadarWatch } from "./air/radar_watch.ts";
import type { Wifid } from "./wifid.ts";
import { Supplicants } from "./supplicant/service.ts";
import { rememberedPmk } from "./keys/pmk.ts";
import type { WifiMachine } from "./machine.ts";
import { type RadioState, WifiPlan } from "./plan_schema.ts";
import { fileNames, readPrivate, UNFINISHED, writePrivate } from "./private_files.ts";
import { installedRegulatory } from "./regulatory/installed.ts";
import { legalProblem } from "./regulatory/legal_problem.ts";
import { permittedChannels } from "./regulatory/permitted.ts";
import { radioProblem } from "./radio/abilities.ts";
import { radioFacts, radioNames } from "./radio/facts.ts";
import { type KnownRadios, nameBefore, withoutHardware, withRadio } from "./radio/renamed_radio.ts";
import { radioOf } from "./client_rules.ts";
import { StationAssociations } from "./station_associations.ts";
import { stationsOnAir } from "./stations_on_air.ts";

/** Milliseconds between two looks whether hostapd still runs: its end has no event when it is killed. */
const WATCH_INTERVAL_MS = 3000;
/** Bytes of a password that nobody knows. */
const SECRET_BYTES = 24;
/** Milliseconds over which events of radios are gathered: a radio that comes has several. */
const GATHER_DELAY_MS = 50;
/** Which hardware was on the air under which name. */
const KNOWN_FILE = "known_radios.json";

const MACHINE: WifiMachine = {
  ...{ iwShow, iwScan, iwChannels, iwStations, followRadios, sendFrame },
  ...{ hostapdVersion, hostapdRunning, startHostapd, stopHostapd, checkHostapdFile },
};

/** Options of {@link startWifid}. */
export interface WifidOptions {
  /** The api's socket for wifid. */
  readonly socket: string;
  /** Folder of the control sockets. */
  readonly folder: string;
  /** Folder of hostapd's files, of mode 0700. */
  readonly hostapdFolder: string;
  readonly log: Log;
  /** Default: this machine. */
  readonly machine?: WifiMachine;
}

/**
 * Starts wifid: keeps hostapd running on the radios of the api's plan, changes its passwords without a
 * restart, and reports stations. hostapd goes on when wifid ends, and is taken over by the next one.
 */
export async function startWifid(options: WifidOptions): Promise<Wifid> {
  const { log, folder, hostapdFolder, machine = MACHINE } = options;
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
  const associations = new StationAssociations();
  /** The last line of the log about each radio. */
  const logged = new Map<string, string>();
  let wifi7 = false;
  /** Radios of the machine when it was last looked. */
  let present: readonly string[] = [];
  await Deno.mkdir(hostapdFolder, { recursive: true, mode: 0o700 });
  await removeOldClients(folder);
  for (const name of await fileNames(hostapdFolder)) {
    // What a crash left; it may hold a password.
    if (name.startsWith(CHECK_PREFIX) || name.endsWith(UNFINISHED)) {
      await removeFile(join(hostapdFolder, name));
    }
  }
  /** By the api, which lets settings follow radios. */
  let hardware: WifiPlan["hardware"] = {};
  let known = readKnown(await readPrivate(join(hostapdFolder, KNOWN_FILE)));

  const radar = new RadarWatch({ channels: machine.iwChannels, now: Date.now, log });
  const deps = (): AccessPointDeps => ({
    eventReceived: (radio, event) => radar.observe(radio, event),
    read: (name) => readPrivate(join(hostapdFolder, name)),
    write: (name, text) => writePrivate(join(hostapdFolder, name), text),
    remove: (name) => removeFile(join(hostapdFolder, name)),
    list: () => fileNames(hostapdFolder),
    path: (name) => join(hostapdFolder, name),
    controlFolder: (radio) => join(folder, `control_${InterfaceName.parse(radio)}`),
    running: machine.hostapdRunning,
    start: machine.startHostapd,
    stop: machine.stopHostapd,
    check: machine.checkHostapdFile,
    control: (radio, network) => new ControlSocket({ server: server(radio, network), folder }),
    attach: (radio, network, onEvent) =>
      attachEvents({ server: server(radio, network), folder }, onEvent),
    sendFrame: machine.sendFrame,
    facts: async (radio) => {
      const { items } = await radios();
      return items.find(({ name }) => name === radio) ?? null;
    },
    nameBefore: (radio, mac) => hardware[radio] === mac ? null : nameBefore(known, radio, mac),
    remember: (radio, mac) => setKnown(withRadio(known, radio, mac)),
    forget: (mac) => setKnown(withoutHardware(known, mac)),
    wifi7: () => wifi7,
    pmk: rememberedPmk(),
    secret: () => crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toHex(),
    report,
    changed: (state) => {
      logState(state);
      reportRadios();
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
  const reportRadios = (): void =>
    reports.enqueue("radios", () => send("/radios", { items: states(), present }));
  const setKnown = async (next: KnownRadios): Promise<void> => {
    if (next === known) return;
    known = next;
    await writePrivate(join(hostapdFolder, KNOWN_FILE), JSON.stringify(known));
  };

  function report(about: StationReport): void {
    const { mac: MAC, link: Iface } = about;
    if (about.kind === "connected") {
      const stale = associations.joined(about, performance.now());
      if (stale !== null) {
        // One that does not answer finds the silence of the station itself.
        forget(stale, MAC).catch(notDone);
        if (stale === about.network) return;
      }
      const by = about.keyId === "" ? "" : ` by the password of ${about.keyId}`;
      log.info("wifi.station_joined", `${MAC} joined ${Iface}${by}`, { mac: MAC, link: Iface });
      const body = { Iface, MAC, Event: "AP-STA-CONNECTED", KeyId: about.keyId };
      const since = performance.now() - about.seconds * 1000;
      reports.enqueue(`station ${MAC}`, () => {
        const Seconds = Math.floor((performance.now() - since) / 1000);
        return send("/reportPSKAuthSuccess", { ...body, Seconds });
      });
    } else if (about.kind === "disconnected") {
      associations.left(about);
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
      machine.iwShow("list"),
      machine.iwShow("dev"),
      machine.iwShow("reg"),
    ]);
    const version = await machine.hostapdVersion().catch(() => null);
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
    hardware = next.hardware;
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
    reportRadios();
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

  /** What the kernel tells of radios, once for a burst of it. */
  let gathering: Promise<void> | null = null;
  function radioEvent(): void {
    gathering ??= pause(GATHER_DELAY_MS, signal).then(async () => {
      gathering = null;
      if (!signal.aborted) await lookForRadios();
    }).catch(notDone);
  }

  async function lookForRadios(): Promise<void> {
    const now = radioNames(await machine.iwShow("dev"));
    if (now.join() === present.join()) return;
    present = now;
    reportRadios();
    supplicants.watch();
    await Promise.all([...points.values()].map((point) => point.lookAgain().catch(notDone)));
  }

  function pointOf(network: string): AccessPoint {
    const found = points.get(radioOf(network));
    if (found === undefined || !planned.has(found.name)) {
      throw new Problem(
        404,
        sentence("{network} is no access point that is on the air", { network }),
      );
    }
    return found;
  }

  async function forget(network: string, mac: string): Promise<void> {
    await pointOf(network).networks.forget(network, mac);
  }

  const steering = new Steering({
    stations: async (network) => await pointOf(network).networks.stations(network),
    request: async (network, command) =>
      await pointOf(network).networks.control(network).request(command),
    sendFrame: machine.sendFrame,
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
  const radioEvents = machine.followRadios(
    radioEvent,
    (message) => log.debug("wifi.events_missing", message),
  );
  radioEvent();
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
    async stationsOnAir(mac) {
      const networks = [...points.values()].filter(({ name }) => planned.has(name))
        .flatMap((point) => point.networks.names);
      const stations = (network: string) => pointOf(network).networks.stations(network);
      const { iwStations } = machine;
      return {
        items: await stationsOnAir({ networks, stations, iwStations }, mac),
      };
    },
    disconnect: async (network, mac) => await pointOf(network).networks.disconnect(network, mac),
    async forgetElsewhere(mac, seconds) {
      const all = [...points.values()].filter(({ name }) => planned.has(name));
      await Promise.all(all.map(({ networks }) => networks.forgetElsewhere(mac, seconds)));
    },
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
      if (rules === undefined) {
        throw new Problem(404, sentence("The database knows no country {country}", { country }));
      }
      return { country, channels: permittedChannels(rules) };
    },
    async restart(radio) {
      const chosen = radio === "" ? [...planned].map(pointOf) : [pointOf(radio)];
      await Promise.all(chosen.map((point) => point.restart()));
    },
    steering,
    iwList: async () => parseRadios(await machine.iwShow("list")),
    iwDevices: async () => parseDevices(await machine.iwShow("dev")),
    async iwRegulatory() {
      const domain = parseRegulatory(await machine.iwShow("reg"));
      if (domain === null) throw new Problem(502, "iw reports no regulatory domain");
      return domain;
    },
    iwScan: async (link, force) => parseScan(await machine.iwScan(link, force)),
    dfs: async () => await radar.report((await radios()).items),
    async stop() {
      ending.abort();
      await Promise.all([radioEvents.stop(), gathering, ...work]);
      await Promise.all([...points.values()].map((point) => point.close()));
      await supplicants.close();
      api.close();
    },
  };
}

/** Reads {@link KNOWN_FILE}; nothing is known where it is damaged. */
function readKnown(text: string | null): KnownRadios {
  try {
    return z.record(InterfaceName, Mac).parse(JSON.parse(text ?? "{}"));
  } catch {
    return {};
  }
}
