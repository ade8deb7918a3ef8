import { inRange4, parseIpv4, parseRange4 } from "../../core/net/net.ts";
import { parseEndpoint } from "../endpoint.ts";
import type { PlannedPeer, PlannedTunnel } from "./plan_schema.ts";

/** What of a running peer is compared with the plan. */
export interface RunningPeer {
  readonly publicKey: string;
  readonly presharedKey: string;
  readonly endpoint: string;
  readonly allowedIps: readonly string[];
  readonly latestHandshake: number;
  readonly keepalive: number;
}

/** What of a running tunnel is compared with the plan. */
export interface RunningTunnel {
  readonly privateKey: string;
  readonly listenPort: number;
  readonly peers: readonly RunningPeer[];
}

/** What brings a running tunnel to its plan. */
export interface TunnelSteps {
  /** Keys of peers to take off, before anything is added: an address may pass to another peer. */
  readonly remove: readonly string[];
  /** Configuration text of what differs; "" where nothing does. It has keys. */
  readonly text: string;
  /** Keys of the peers in it. */
  readonly set: readonly string[];
  /** What of the plan cannot be followed, for people; "" otherwise. */
  readonly problem: string;
}

/** Seconds after a handshake at which a session is given up (WireGuard's REJECT_AFTER_TIME less a try). */
const STALE_SECONDS = 135;

/** True for a peer that was silent for so long that it may be elsewhere. `now`: unix seconds. */
export function isStale(
  { latestHandshake }: Pick<RunningPeer, "latestHandshake">,
  now: number,
): boolean {
  return now - latestHandshake > STALE_SECONDS;
}

/** What {@link tunnelSteps} goes by beside the two tunnels. */
export interface StepSources {
  /** Address and port of a peer that is called, its name resolved; "" where that is not known. */
  readonly addressOf: (peer: PlannedPeer) => string;
  /** True where the plan names another endpoint than when it was last set. */
  readonly isOtherEndpoint: (peer: PlannedPeer) => boolean;
  /** Unix seconds. */
  readonly now: number;
}

/**
 * The steps from a running tunnel to its plan. Peers that are as planned are in none of them, so that
 * their sessions and the places that they roamed to stay.
 */
export function tunnelSteps(
  planned: PlannedTunnel,
  running: RunningTunnel,
  sources: StepSources,
): TunnelSteps {
  const wanted = new Map(planned.peers.map((peer) => [peer.publicKey, peer]));
  const known = new Map(running.peers.map((peer) => [peer.publicKey, peer]));
  // A session outlives the preshared key that it was made with: the peer is added anew.
  const isOther = (key: string): boolean =>
    wanted.get(key)?.presharedKey !== known.get(key)?.presharedKey;
  const remove = [...known.keys()].filter(isOther);
  const sections = planned.peers.map((peer) =>
    peerSection(peer, isOther(peer.publicKey) ? undefined : known.get(peer.publicKey), sources)
  );
  const own = [
    ...(planned.privateKey === running.privateKey ? [] : [`PrivateKey = ${planned.privateKey}`]),
    ...(planned.listenPort === 0 || planned.listenPort === running.listenPort
      ? []
      : [`ListenPort = ${planned.listenPort}`]),
  ];
  const changed = sections.filter((section) => section !== "");
  const text = [...(own.length === 0 ? [] : [["[Interface]", ...own, ""].join("\n")]), ...changed]
    .join("\n");
  return {
    remove,
    text,
    set: planned.peers.filter((_, at) => sections[at] !== "").map(({ publicKey }) => publicKey),
    problem: planned.peers.filter((peer) => isBehind(peer, sources.addressOf(peer)))
      .map((peer) =>
        `${peer.endpoint} is at ${
          sources.addressOf(peer)
        }, behind the tunnel itself; its name must ` +
        "lead to the public address of the other router"
      ).join(". "),
  };
}

/** The section of a peer; "" where it runs as planned. One that runs has its preshared key. */
function peerSection(
  planned: PlannedPeer,
  running: RunningPeer | undefined,
  sources: StepSources,
): string {
  const endpoint = endpointToSet(planned, running, sources);
  const same = running !== undefined && endpoint === "" &&
    running.keepalive === planned.keepalive && sameSet(running.allowedIps, planned.allowedIps);
  if (same) return "";
  const { presharedKey } = planned;
  return [
    "[Peer]",
    `PublicKey = ${planned.publicKey}`,
    ...(running !== undefined || presharedKey === "" ? [] : [`PresharedKey = ${presharedKey}`]),
    `AllowedIPs = ${planned.allowedIps.join(", ")}`,
    ...(endpoint === "" ? [] : [`Endpoint = ${endpoint}`]),
    `PersistentKeepalive = ${planned.keepalive}`,
    "",
  ].join("\n");
}

/**
 * The endpoint that a peer is to be called at; "" leaves it where it is. One that is in touch has
 * perhaps moved, and is left there unless the plan names another place.
 */
function endpointToSet(
  planned: PlannedPeer,
  running: RunningPeer | undefined,
  { addressOf, isOtherEndpoint, now }: StepSources,
): string {
  if (planned.endpoint === "") return "";
  const address = addressOf(planned);
  if (address === "" || address === running?.endpoint || isBehind(planned, address)) return "";
  const isLost = running === undefined || running.endpoint === "" || isStale(running, now);
  return isLost || isOtherEndpoint(planned) ? address : "";
}

/** True for an address that is reached through the tunnel: packets of the tunnel would enter it again. */
function isBehind({ allowedIps }: PlannedPeer, address: string): boolean {
  const host = parseIpv4(parseEndpoint(address)?.host ?? "");
  return host !== null && allowedIps.some((network) => {
    const range = parseRange4(network);
    return range !== null && inRange4(range, host);
  });
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value) => other.includes(value));
}
