import { join } from "node:path";
import type { DeviceObservation, Observations, TunnelObservation } from "../change.ts";
import { parseUplinks } from "./uplink_observations.ts";
import { differingMembers } from "../../config/memo.ts";
import { type Files, writeDurably } from "../../config/files.ts";
import { fileBytes, isRecord } from "../../config/json.ts";

/** What was seen is written at most this often, in seconds, unless a device changed its link. */
const WRITE_INTERVAL_S = 60;

/** Nothing seen yet. */
const NO_OBSERVATIONS: Observations = { devices: {} };

/**
 * True when a device is on another link, or on none, or an uplink leads elsewhere, or a tunnel changed, or
 * a group was closed or opened by its schedule.
 */
export function movesAnything(before: Observations, after: Observations): boolean {
  if (before.uplinks !== after.uplinks || before.tunnels !== after.tunnels) return true;
  if (before.closedGroups !== after.closedGroups) return true;
  if (before.devices === after.devices) return false;
  return differingMembers(before.devices, after.devices).some((name) =>
    (before.devices[name]?.link ?? null) !== (after.devices[name]?.link ?? null)
  );
}

/** The links that devices moved to. */
export function enteredLinks(before: Observations, after: Observations): readonly string[] {
  return differingMembers(before.devices, after.devices).flatMap((name) => {
    const link = after.devices[name]?.link ?? null;
    return link !== null && before.devices[name]?.link !== link ? [link] : [];
  });
}

/** Keeps what was observed in `state/devices/observed.json`. */
export class ObservationFile {
  readonly #path: string;
  readonly #files: Files;
  readonly #clock: () => number;
  #written: Observations = NO_OBSERVATIONS;
  #writtenAt: number;

  /** `clock` counts seconds and never goes back. */
  constructor(home: string, files: Files, clock: () => number) {
    this.#path = join(home, "state", "devices", "observed.json");
    this.#files = files;
    this.#clock = clock;
    this.#writtenAt = clock();
  }

  /** What was last written; entries that cannot be read are left out, since they will be seen again. */
  async load(unreadable: (error: unknown) => void): Promise<Observations> {
    const text = await this.#files.read(this.#path).catch((error) => {
      // Devices are seen again; a file that cannot be read keeps nobody from starting.
      unreadable(error);
      return null;
    });
    this.#written = text === null ? NO_OBSERVATIONS : parse(text);
    return this.#written;
  }

  /** Writes now, durably. */
  async write(observed: Observations): Promise<void> {
    await writeDurably(this.#path, bytesOf(observed), "observed");
    this.#written = observed;
    this.#writtenAt = this.#clock();
  }

  /** Writes when something is new and a minute has passed, or always when `now`. */
  async flush(observed: Observations, now = false): Promise<void> {
    if (observed === this.#written) return;
    if (!now && this.#clock() - this.#writtenAt < WRITE_INTERVAL_S) return;
    await this.write(observed);
  }
}

/** The file as JSON. The devices are nearly all of it, and only those that changed are written anew. */
function bytesOf({ devices, ...others }: Observations): Uint8Array {
  const encoder = new TextEncoder();
  const kept = Object.entries(others).filter(([, value]) => value !== undefined);
  const head = kept.map(([name, value]) => ` "${name}": ${JSON.stringify(value)},\n`);
  const parts = [
    encoder.encode(`{\n${head.join("")} "devices": `),
    fileBytes(devices),
    encoder.encode("}\n"),
  ];
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function parse(text: string): Observations {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return NO_OBSERVATIONS;
  }
  const devices = isRecord(raw) && isRecord(raw.devices) ? raw.devices : {};
  const uplinks = parseUplinks(isRecord(raw) ? raw.uplinks : undefined);
  const tunnels = parseTunnels(isRecord(raw) ? raw.tunnels : undefined);
  return {
    ...(uplinks === null ? {} : { uplinks }),
    ...(tunnels === null ? {} : { tunnels }),
    devices: Object.fromEntries(
      Object.entries(devices).flatMap(([name, seen]) => {
        const device = observation(seen);
        return device === null ? [] : [[name, device]];
      }),
    ),
  };
}

function observation(raw: unknown): DeviceObservation | null {
  if (!isRecord(raw)) return null;
  const { firstSeen, lastSeen, link, online, clientId } = raw;
  if (typeof firstSeen !== "number" || typeof lastSeen !== "number") return null;
  if (link !== null && typeof link !== "string") return null;
  const named = typeof clientId === "string" ? { clientId } : {};
  return { firstSeen, lastSeen, link, online: online === true, ...named };
}

/** What was kept of VPN tunnels; null for nothing. */
function parseTunnels(raw: unknown): NonNullable<Observations["tunnels"]> | null {
  if (!isRecord(raw)) return null;
  const tunnels = Object.entries(raw).flatMap(([name, kept]) =>
    isRecord(kept) ? [[name, tunnelObservation(kept)] as const] : []
  );
  return tunnels.length === 0 ? null : Object.fromEntries(tunnels);
}

function tunnelObservation({ peers, revoked }: Record<string, unknown>): TunnelObservation {
  const entries = isRecord(peers) ? Object.entries(peers) : [];
  return {
    peers: Object.fromEntries(entries.map(([digest, addresses]) => [digest, texts(addresses)])),
    revoked: texts(revoked),
  };
}

function texts(raw: unknown): readonly string[] {
  return Array.isArray(raw) ? raw.filter((one) => typeof one === "string") : [];
}
