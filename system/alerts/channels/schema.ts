import * as z from "zod";
import { line } from "../../core/net/grammar.ts";

/** What stands for a secret in every response; sent back it means "unchanged". */
export const MASK = "**";

/** Channels that there may be. */
export const MAX_CHANNELS = 32;

const CHANNEL_KINDS = ["webhook", "ntfy", "email", "push"] as const;
export const ALERT_TYPES = ["info", "success", "warning", "error"] as const;

/** Messages of one channel in an hour. */
const PER_HOUR = { least: 1, most: 600, usual: 60 } as const;

/** A web address without a password in it. */
const WebAddress = z.string().trim().max(1024).refine((text) => {
  if (text === "") return true;
  const url = /[\s"\\{}<>^`|]/.test(text) || /\p{Cc}/u.test(text) ? null : URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" &&
    url.password === "" && url.hash === "";
}, { error: "Write a web address such as https://hooks.example.org/alerts, without a password" });

/** A secret that goes into one line of a request. */
const Secret = z.string().trim().max(512, { error: "Use at most 512 characters" })
  .refine((text) => text.isWellFormed() && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), {
    error: "Use no line breaks or control characters",
  });

/** An address of e-mail (RFC 5321 4.1.2, without quoted names): it becomes part of a header. */
const MailAddress = z.string().trim().max(254).regex(
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/,
  { error: "Write an address such as anna@example.org" },
).meta({ examples: ["anna@example.org"] });

const Id = z.uuid().meta({ examples: ["7e2b64a1-27a4-4b55-9c3f-1f0a52c1d0c1"] });

/** A name or an address of a server, without a port. */
const HostName = z.string().trim().max(253).regex(
  /^([A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9])?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*|)$/,
  { error: "Write a name such as mail.example.org, or an address" },
);

const TIME = /^(([01]\d|2[0-3]):[0-5]\d|)$/;
const TimeOfDay = z.string().regex(TIME, { error: "Write a time such as 22:00" });

const Base64Url = z.string().trim().max(200).regex(/^[A-Za-z0-9_-]*$/, {
  error: "Send what the browser gave, in base64url",
});

/** Fields of every kind; those of other kinds stay empty. */
const FIELDS = {
  name: line(100).refine((text) => text !== "", { error: "Enter a name" }),
  kind: z.enum(CHANNEL_KINDS),
  enabled: z.boolean().default(true),
  types: z.array(z.enum(ALERT_TYPES)).max(4).default([])
    .describe("Only alerts of these types; none: of all"),
  only: z.array(line(64)).max(50).default([]).describe(
    "Only alerts of these rules, by RuleId, and notices of these kinds, such as new-device; none: all",
  ),
  perHour: z.int().min(PER_HOUR.least).max(PER_HOUR.most).default(PER_HOUR.usual)
    .describe("Messages in an hour at most; more are only counted"),
  quietFrom: TimeOfDay.default("").describe("From this time of day only errors are sent"),
  quietTo: TimeOfDay.default("").describe("At this time of day what waited is sent"),
  localNetwork: z.boolean().default(false).describe(
    "May send to private addresses and to those of the LAN; never to the router itself",
  ),
  url: WebAddress.default("").describe(
    "webhook: where to; ntfy: the server; push: the address that the browser gave. " +
      "Responses show the server, and ** for the rest, which sent back leaves it",
  ),
  secret: Secret.default("").describe("webhook: key of the signature; ** leaves the stored one"),
  topic: z.string().trim().max(64).regex(/^([A-Za-z0-9_-]*|\*\*)$/, {
    error: "Use letters, digits, _ and -",
  }).default("").describe("ntfy: who knows it may read; ** leaves the stored one"),
  token: Secret.default("").describe("ntfy: access token; ** leaves the stored one"),
  host: HostName.default("").describe("email: the server"),
  port: z.int().min(0).max(65535).default(0).describe("email: 0 takes the usual one"),
  security: z.enum(["starttls", "tls", "none"]).default("starttls")
    .describe("email: TLS from the start, or STARTTLS, without which nothing is sent"),
  user: line(254).default("").describe("email: user name; empty sends without signing in"),
  password: Secret.default("").describe("email: ** leaves the stored one"),
  from: MailAddress.or(z.literal("")).default("").describe("email: the sender")
    .meta({ examples: ["router@example.org"] }),
  to: z.array(MailAddress).max(10).default([]).describe("email: the recipients"),
  browserKey: Base64Url.default("").describe("push: the browser's public key (p256dh)"),
  auth: Base64Url.or(z.literal(MASK)).default("")
    .describe("push: the browser's secret; ** leaves the stored one"),
} as const;

/** A way by which alerts leave the router, as it is stored. */
export const AlertChannel = z.object({
  id: Id,
  ...FIELDS,
});
export type AlertChannel = z.output<typeof AlertChannel>;

/** A channel as it is sent: without `id` it is a new one. */
export const AlertChannelRequest = z.object({
  id: Id.optional().describe("That of the channel that is replaced; none: a new one"),
  ...FIELDS,
}).meta({ id: "AlertChannelRequest" });
export type AlertChannelRequest = z.output<typeof AlertChannelRequest>;

/** A channel as responses show it. */
export const AlertChannelShown = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(CHANNEL_KINDS),
  enabled: z.boolean(),
  types: z.array(z.enum(ALERT_TYPES)),
  only: z.array(z.string()),
  perHour: z.int(),
  quietFrom: z.string(),
  quietTo: z.string(),
  localNetwork: z.boolean(),
  url: z.string().describe("The server; ** stands for the rest"),
  secret: z.string().describe("** where there is one"),
  topic: z.string().describe("** where there is one"),
  token: z.string().describe("** where there is one"),
  host: z.string(),
  port: z.int(),
  security: z.enum(["starttls", "tls", "none"]),
  user: z.string(),
  password: z.string().describe("** where there is one"),
  from: z.string(),
  to: z.array(z.string()),
  browserKey: z.string(),
  auth: z.string().describe("** where there is one"),
}).meta({ id: "AlertChannel" });
export type AlertChannelShown = z.output<typeof AlertChannelShown>;

export const ChannelId = z.object({ id: Id });

/** How deliveries of a channel stand. */
export const ChannelState = z.object({
  id: z.string().describe("Of the channel"),
  at: z.int().describe("Unix milliseconds of the last attempt; 0 before"),
  ok: z.boolean(),
  message: z.string().describe("What the receiver responded, in its own words"),
  sentAt: z.int().describe("Unix milliseconds of the last message that was accepted; 0 before"),
  waiting: z.int().describe("Messages that wait to be sent"),
  oldestAt: z.int().describe("Unix milliseconds when the oldest of them was queued; 0 for none"),
  nextAt: z.int().describe("Unix milliseconds of the next attempt; 0 where nothing waits"),
  repeated: z.int().describe(
    "Alerts that were only counted, since the same was sent shortly before",
  ),
  held: z.int().describe("Alerts that were only counted, since there were too many in an hour"),
  lost: z.int().describe(
    "Messages that were given up, since the receiver refused them or was away",
  ),
}).meta({ id: "AlertChannelState" });
export type ChannelState = z.output<typeof ChannelState>;

export const ChannelStates = z.array(ChannelState);

/** What came of a test message. */
export const ChannelTest = z.object({
  ok: z.boolean(),
  message: z.string().describe("What the receiver responded, in its own words"),
}).meta({ id: "AlertChannelTest" });
export type ChannelTest = z.output<typeof ChannelTest>;

/** What a browser needs to subscribe. */
export const PushKey = z.object({
  publicKey: z.string().describe("`applicationServerKey` of the router (RFC 8292), in base64url"),
}).meta({ id: "AlertPushKey" });
