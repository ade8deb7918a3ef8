import { LOG_GROUPS, type LoggedPacket } from "../core/kernel/logged_packet.ts";
import type { Packet, PacketTrace } from "../core/kernel/ruleset.ts";
import type { PacketEvent } from "../firewall/packet_log/event_schema.ts";
import { dropPrefix } from "../firewall/packet_log/log_chains.ts";
import { decidingStep, describeRules, reasonOf } from "./description.ts";
import { deviceName, endOf, holderOf, type ReachState } from "./ends.ts";
import type { PacketTracer } from "./reach.ts";
import type { ReachEnd } from "./schema.ts";

/** Protocols behind IP (IANA protocol numbers) that rules tell apart. */
const PROTOCOLS: Readonly<Record<number, Packet["protocol"]>> = {
  1: "icmp",
  6: "tcp",
  17: "udp",
  58: "icmp",
};

/** What a logged packet is about, in words. */
type Explained = Pick<PacketEvent, "Rule" | "From" | "To" | "Identity">;

/**
 * The rule that decided about a logged packet and its ends, in the words of an access test. Where the
 * present rules decide otherwise than those that the packet met, the rule's own words. Pure.
 */
export function explainPacket(
  packet: LoggedPacket,
  state: ReachState,
  tracer: Pick<PacketTracer, "trace">,
): Explained {
  const { IP, Ethernet } = packet;
  const from = endAt(IP?.SrcIP ?? Ethernet?.SrcMAC ?? "", state);
  const to = endAt(IP?.DstIP ?? Ethernet?.DstMAC ?? "", state);
  const device = [from, to].find(({ kind }) => kind === "device")?.identity ?? null;
  return {
    Rule: ruleOf(packet, { from, to, state, tracer }),
    From: from.name,
    To: to.name,
    ...(device === null ? {} : { Identity: device }),
  };
}

/** A device, the router or an address; a text that is none stands for itself. */
function endAt(address: string, state: ReachState): ReachEnd {
  if (address !== "") return endOf(address, null, state);
  return { kind: "address", name: "", identity: null, address: null, link: null, leaf: null };
}

function ruleOf(
  packet: LoggedPacket,
  { from, to, state, tracer }: {
    readonly from: ReachEnd;
    readonly to: ReachEnd;
    readonly state: ReachState;
    readonly tracer: Pick<PacketTracer, "trace">;
  },
): string {
  const seen = asTraced(packet);
  const trace = seen === null ? null : tracer.trace(state.desired, seen);
  if (trace !== null && isVerdictOf(packet, trace)) {
    return reasonOf(describeRules(trace, {
      from,
      to,
      nameOf: (address) => {
        const holder = holderOf(state.config.devices, address);
        return holder === undefined ? undefined : deviceName(state.config.devices, holder);
      },
    }));
  }
  const text = packet.prefix.slice(packet.prefix.indexOf(" ") + 1).trim();
  return packet.group === LOG_GROUPS.allowed ? "Allowed" : text === "" ? "Blocked" : text;
}

/** True where the trace ends at the rule that logged the packet, or lets on what was let on. */
function isVerdictOf(packet: LoggedPacket, trace: PacketTrace): boolean {
  if (packet.group === LOG_GROUPS.allowed) return trace.verdict === "accept";
  const step = trace.verdict === "accept" ? undefined : trace.steps[decidingStep(trace)];
  return step !== undefined && dropPrefix(step.chain, step.comment) === packet.prefix;
}

/** The packet as rules are evaluated on it; null where that is not possible. */
function asTraced(packet: LoggedPacket): Packet | null {
  const { IP, TCP, UDP, ICMP, original } = packet;
  const protocol = PROTOCOLS[IP?.Protocol ?? -1];
  if (IP === undefined || protocol === undefined) return null;
  // Of ICMP, rules are evaluated on the echo request alone (RFC 792, RFC 4443 4.1).
  if (protocol === "icmp" && ICMP?.Type !== (IP.Version === 6 ? 128 : 8)) return null;
  const ports = TCP ?? UDP;
  const moved = original !== undefined && original.address !== IP.DstIP ? original : null;
  const dport = moved?.port ?? ports?.DstPort;
  return {
    iif: packet.inDev === "" ? null : packet.inDev,
    // Before it was translated it was for the router itself.
    oif: moved !== null || packet.outDev === "" ? null : packet.outDev,
    source: IP.SrcIP,
    destination: moved?.address ?? IP.DstIP,
    mac: packet.Ethernet?.SrcMAC ?? null,
    protocol,
    ...(ports === undefined ? {} : { sport: ports.SrcPort }),
    ...(ports === undefined || dport === undefined ? {} : { dport }),
  };
}
