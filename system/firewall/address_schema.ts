import * as z from "zod";
import { PATTERNS } from "../core/net/grammar.ts";
import { formatIpv4, parseAddress, parseIpv4, parseRange4 } from "../core/net/net.ts";

/** Every IPv4 address. */
export const EVERYWHERE = "0.0.0.0/0";

/** Why a text is no address or network of a rule; null when it is one. */
function addressFault(text: string): string | null {
  const [host = "", prefix] = text.split("/");
  if (text.includes(":")) {
    const six = parseAddress(host);
    return six?.family === 6
      ? "Rules work on IPv4 only as yet; write an IPv4 address or network"
      : "Write an IPv4 address or network, such as 192.168.2.10 or 192.168.2.0/24";
  }
  const range = parseRange4(text), address = parseIpv4(host);
  if (range === null || address === null) {
    return "Write an IPv4 address or network, such as 192.168.2.10 or 192.168.2.0/24";
  }
  if (address === 0 && range.prefix === 32) {
    return "0.0.0.0 is one address that no packet has; write 0.0.0.0/0 for every address";
  }
  if (address !== range.first) {
    return `The address has bits beyond its prefix; write ${formatIpv4(range.first)}/${prefix}`;
  }
  return null;
}

/** Reports the fault of a text, if it has one. */
function checked(
  fault: (text: string) => string | null,
  missing: string,
  form: typeof PATTERNS.range4,
): z.ZodType<string, string> {
  return z.string({ error: missing }).meta(form).transform((text, context) => {
    const message = fault(text);
    if (message === null) return text.endsWith("/32") ? text.slice(0, -3) : text;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });
}

/** An IPv4 address or network; yields `192.168.2.10` for `192.168.2.10/32`. */
export const RuleAddress = checked(
  addressFault,
  "Write an IPv4 address or network, such as 192.168.2.10 or 192.168.2.0/24",
  PATTERNS.range4,
);

function hostFault(text: string): string | null {
  const range = parseRange4(text);
  if (range !== null && range.prefix < 32) return "Write one address, not a network";
  if (text === "0.0.0.0" || text === "0.0.0.0/32") {
    return "No machine has the address 0.0.0.0; write the address of one";
  }
  const fault = addressFault(text);
  if (fault !== null) return fault;
  const first = range!.first >>> 24;
  // RFC 6890: "this network", loopback; RFC 5771 and RFC 1112: multicast and reserved.
  return first === 0 || first === 127 || first >= 224 ? "This is no address of one machine" : null;
}

/** The IPv4 address of one machine. */
export const RuleHost = checked(
  hostFault,
  "Write the IPv4 address of one machine, such as 192.168.2.10",
  { ...PATTERNS.range4, examples: PATTERNS.ipv4.examples },
);

const PORTS = "Write a port from 1 to 65535, a range such as 8000-8010, or any";

function isPort(text: string | undefined): boolean {
  return text !== undefined && /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65535;
}

function portsFault(text: string): string | null {
  if (text === "any" || text === "0-65535" || isPort(text)) return null;
  const [low, high, ...rest] = text.split("-");
  if (rest.length > 0 || !isPort(low) || !isPort(high)) return PORTS;
  return Number(low) > Number(high) ? `The range runs backwards; write ${high}-${low}` : null;
}

/** `any`, `0-65535`, one port or a range of ports. What was written is kept. */
export const PortRange = z.string({ error: PORTS }).superRefine((text, context) => {
  const message = portsFault(text);
  if (message !== null) context.addIssue({ code: "custom", message });
}).meta(PATTERNS.ports);

/** One port, 1 to 65535, without leading zeros. */
export const Port = z.string({ error: "Write one port, 1 to 65535" })
  .refine(isPort, { error: "Write one port, 1 to 65535" }).meta(PATTERNS.port);

/** First and last port, both inclusive. */
export type PortInterval = readonly [number, number];

/** Every port. */
export const ALL_PORTS: PortInterval = [0, 65535];

/** The ports that a valid {@link PortRange} stands for. */
export function parsePorts(text: string): PortInterval {
  if (text === "any") return ALL_PORTS;
  const [low = "", high = low] = text.split("-");
  return [Number(low), Number(high)];
}

/** One text for equal ranges: `any`, `80`, `80-90`. */
export function canonicalPorts(text: string): string {
  const [low, high] = parsePorts(text);
  if (low === 0 && high === 65535) return "any";
  return low === high ? String(low) : `${low}-${high}`;
}
