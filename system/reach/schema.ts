import * as z from "zod";
import { inLowerCase, line } from "../core/net/grammar.ts";
import { formatAddress, parseAddress } from "../core/net/net.ts";
import { canonicalIdentity } from "../devices/identity.ts";
import { ReachSuggestion } from "./suggestions/suggestion_schema.ts";

/** The router itself, and whatever lies behind its uplinks: ends that need no address. */
const NAMED_ENDS = ["internet", "router"] as const;

/** One end of a question; yields `internet`, `router`, a canonical address or device identity. */
const EndName = z.string().meta({
  pattern: "^\\s*[A-Za-z0-9+/=:. -]+\\s*$",
  examples: ["02:00:00:00:0a:01"],
}).transform(
  (text, context) => {
    const trimmed = text.trim();
    const named = NAMED_ENDS.find((name) => name === trimmed.toLowerCase());
    if (named) return named;
    const address = parseAddress(trimmed);
    if (address) return formatAddress(address);
    const identity = canonicalIdentity(text);
    if (identity !== null) return identity;
    context.addIssue({
      code: "custom",
      message: "Name an IP address, a device by its identity, or the word internet or router",
    });
    return z.NEVER;
  },
);

const PORT_WORDS = "Write one port, 1 to 65535";

/** One port without leading zeros. */
const Port = z.string().regex(/^[1-9]\d{0,4}$/, { error: PORT_WORDS })
  .refine((text) => Number(text) <= 65535, { error: PORT_WORDS });

const Protocol = inLowerCase(
  z.enum(["tcp", "udp", "icmp"], { error: "Use tcp, udp or icmp" }),
);

/** What a pair of ports and protocols gets wrong, or null. */
function portFault(protocol: string, port: string): string | null {
  if (protocol === "icmp") return port === "" ? null : "A ping has no port; leave it out";
  return port === "" ? `${protocol} needs a port` : null;
}

/** A question (`GET /reach`): may the one open a connection to the other? */
export const ReachQuery = z.object({
  from: EndName,
  to: EndName,
  protocol: Protocol,
  /** Destination port of tcp and udp. */
  port: Port.or(z.literal("")).default(""),
}).superRefine((query, context) => {
  const message = portFault(query.protocol, query.port);
  if (message !== null) context.addIssue({ code: "custom", path: ["port"], message });
});
export type ReachQuery = z.output<typeof ReachQuery>;

/** Whether suggestions are wanted as well. */
export const SuggestOption = z.object({
  suggest: z.enum(["true", "false"], { error: "Write true or false" }).default("false"),
});

/** A promise about two ends that every write is held to (`configs/base/reach_tests.json`). */
export const ReachTest = z.object({
  Name: line(128).refine((text) => text !== "", { error: "Enter a name for the test" }),
  From: EndName,
  To: EndName,
  Protocol: Protocol.default("tcp"),
  /** "" for icmp. */
  Port: Port.or(z.literal("")).default(""),
  Expect: z.enum(["accept", "drop"], { error: "Expect accept or drop" }),
}).superRefine((test, context) => {
  const message = portFault(test.Protocol, test.Port);
  if (message !== null) context.addIssue({ code: "custom", path: ["Port"], message });
}).meta({ id: "ReachTest" });
export type ReachTest = z.output<typeof ReachTest>;

/** Names one test. */
export const ReachTestName = z.object({ Name: line(128) }).meta({ id: "ReachTestName" });

/** One end of an answer. */
export const ReachEnd = z.object({
  kind: z.enum(["device", "router", "internet", "address"]),
  /** What people call it: a device's name, `the router`, `the Internet`, or its address. */
  name: z.string(),
  /** Null for what is no device. */
  identity: z.string().nullable(),
  /** Null where it has none, or none is known. */
  address: z.string().nullable(),
  /** Interface on which the router has it; null where it has none. */
  link: z.string().nullable(),
  /** Name of the leaf router through which it is connected; null where it is at this router. */
  leaf: z.string().nullable(),
}).meta({ id: "ReachEnd" });
export type ReachEnd = z.output<typeof ReachEnd>;

/** One rule on the way, in words, with where it stands in the packet filter. */
export const ReachRule = z.object({
  description: z.string(),
  table: z.string(),
  chain: z.string(),
  /** Name and key of the element that a lookup hit. */
  set: z.string().optional(),
  key: z.array(z.string()).optional(),
  outcome: z.enum(["accept", "drop", "reject", "continue", "translate"]),
  /** True for the one rule that the verdict comes from. */
  decides: z.boolean(),
}).meta({ id: "ReachRule" });
export type ReachRule = z.output<typeof ReachRule>;

/** Whether one end reaches another, and why. */
export const ReachAnswer = z.object({
  verdict: z.enum(["accept", "drop", "reject"]),
  /** The answer as one sentence. */
  reason: z.string(),
  rules: z.array(ReachRule),
  from: ReachEnd,
  to: ReachEnd,
  /** Only on request: changes that reverse the answer, least access first. */
  suggestions: z.array(ReachSuggestion).optional(),
}).meta({ id: "ReachAnswer" });
export type ReachAnswer = z.output<typeof ReachAnswer>;

/** A test and whether it holds now. */
export const ReachTestResult = z.object({
  ...ReachTest.shape,
  passes: z.boolean(),
  verdict: z.enum(["accept", "drop", "reject"]),
  reason: z.string(),
}).meta({ id: "ReachTestResult" });
export type ReachTestResult = z.output<typeof ReachTestResult>;
