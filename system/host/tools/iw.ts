import { Problem } from "../../core/errors/problem.ts";
import { InterfaceName } from "../../core/net/grammar.ts";
import { Follower } from "../kernel/follower.ts";
import { ownProcesses } from "./own_processes.ts";
import { run, runOrFail, toolMessage } from "./run.ts";

/** Bytes of an output; one radio prints some 40 KB. */
const MAX_OUTPUT = 4 * 1024 * 1024;
/** Seconds of a scan of all channels: some radios have a hundred of them, and listen between beacons. */
const SCAN_TIMEOUT_S = 60;

/** What `iw` prints of all radios, of their interfaces, or of the regulatory domain. Throws Problem. */
export async function iwShow(what: "list" | "dev" | "reg"): Promise<string> {
  const args = what === "reg" ? ["reg", "get"] : [what];
  const result = await run("iw", { args, maxOutput: MAX_OUTPUT });
  // A kernel that has no radio has not loaded this either.
  if (/nl80211 not found/.test(result.stderr)) return "";
  if (!result.ok) throw new Problem(502, `iw: ${toolMessage(result)}`);
  return result.stdout;
}

/** What `iw` prints of the channels of a radio, with their DFS states. Throws Problem. */
export function iwChannels(phy: string): Promise<string> {
  if (!/^phy\d{1,5}$/.test(phy)) throw new Problem(502, `${phy} is no radio`);
  return runOrFail("iw", { args: ["phy", phy, "channels"], maxOutput: MAX_OUTPUT });
}

/**
 * What `iw` prints of the networks around; an interface that is down is up meanwhile. Throws Problem, also
 * for an access point unless `force` lets it leave its channel for that.
 */
export async function iwScan(link: string, force = false): Promise<string> {
  const name = InterfaceName.parse(link);
  const args = ["dev", name, "scan", ...(force ? ["ap-force"] : [])];
  const options = { args, seconds: SCAN_TIMEOUT_S, maxOutput: MAX_OUTPUT };
  const result = await run("iw", options);
  if (result.ok) return result.stdout;
  // ENETDOWN: nothing uses this radio yet.
  if (!/\(-100\)/.test(result.stderr)) throw scanProblem(name, toolMessage(result), force);
  await runOrFail("ip", { args: ["link", "set", "dev", name, "up"] });
  try {
    const again = await run("iw", options);
    if (!again.ok) throw scanProblem(name, toolMessage(again), force);
    return again.stdout;
  } finally {
    // Somebody may have joined a network with it meanwhile.
    const users = await ownProcesses("wpa_supplicant", (args) => args.includes(` -i ${name} `));
    if (users.length === 0) await run("ip", { args: ["link", "set", "dev", name, "down"] });
  }
}

/** Why a scan failed, from iw's words. */
export function scanProblem(link: string, text: string, force = false): Problem {
  // EOPNOTSUPP: only an interface in managed mode scans, unless an access point is forced to.
  if (!force && /\(-95\)/.test(text)) {
    return new Problem(
      400,
      `${link} cannot scan in its mode: an access point that is on the air does not. Use a radio that is ` +
        "none, or the scan of its channels (PUT /wifi/air/{interface}/scan)",
    );
  }
  // EBUSY: its supplicant or somebody else scans.
  if (/\(-16\)/.test(text)) return new Problem(502, `${link} is scanning already; try again`);
  return new Problem(502, `iw: ${text}`);
}

/** What `iw` prints of the stations of an interface; "" for an interface that is gone. Throws Problem. */
export async function iwStations(link: string): Promise<string> {
  const name = InterfaceName.parse(link);
  const result = await run("iw", { args: ["dev", name, "station", "dump"], maxOutput: MAX_OUTPUT });
  return result.ok ? result.stdout : "";
}

/** Radios that come and go, and interfaces of theirs; a station that joins has one, too. */
const RADIO_EVENT = /\b(wiphy|interface)\b|: renamed to /;

/** Tells whenever the kernel says that a radio, or an interface of one, came, went or was renamed. */
export function followRadios(
  changed: () => void,
  onError: (message: string) => void,
): { stop(): Promise<void> } {
  return new Follower({
    tool: "iw",
    args: ["event"],
    onLine: (line) => {
      if (RADIO_EVENT.test(line)) changed();
    },
    onRestart: changed,
    onError,
  });
}
