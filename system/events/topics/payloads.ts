import { z } from "zod";

/*
 * Shapes of the payloads of events, under the names that existing clients read. Each is what is
 * published, and no more: the tests hold every published event to it.
 */

const text = z.string(), whole = z.int();

/** Names of the entries of a document that changed; null: too many, read it anew. */
export const DocumentEvent = z.strictObject({
  change: text,
  document: text,
  keys: z.array(text).nullable(),
});

/** A change of the configuration; `confirmed` where an open confirm window was closed. */
export const ChangeEvent = z.union([
  z.strictObject({
    id: text,
    at: whole,
    by: text,
    kind: text,
    summary: text,
    documents: z.array(text),
  }),
  z.strictObject({ id: text, confirmed: z.literal(true) }),
]);

/** Interfaces of the radios that the machine has. */
export const RadiosPresent = z.strictObject({ names: z.array(text) });

/** A change with its values before and after; secrets read `(hidden)`. */
export const AuditEntry = z.strictObject({
  id: text,
  at: whole,
  by: text,
  from: text.nullable(),
  kind: text,
  summary: text,
  patch: z.array(z.strictObject({
    document: text,
    path: z.array(text),
    before: z.unknown().optional(),
    after: z.unknown().optional(),
  })),
  more: whole,
});

/** A sign-in; `username` only of users. */
export const SignIn = z.strictObject({
  type: z.enum(["user", "token"]),
  name: text,
  username: text.optional(),
  reason: text,
  ip: text,
  addr: text,
});

/** The end of the sign-ins of a user or token. */
export const SignOut = z.strictObject({
  type: z.enum(["user", "token"]),
  name: text,
  username: text.optional(),
});

export const TokenDeleted = z.strictObject({ id: text, name: text });
export const SourceLocked = z.strictObject({ addr: text, until: z.number() });
export const PasskeyEvent = z.strictObject({
  username: text,
  credential: text,
  ip: text,
  addr: text,
});

export const DhcpRequested = z.strictObject({
  MAC: text,
  Identifier: text,
  Name: text,
  Iface: text,
  ParamReqList: text,
  VendorClass: text,
});
export const DhcpAnswered = z.strictObject({
  Identifier: text,
  IP: text,
  RouterIP: text,
  DNSIP: text,
  LeaseTime: text,
});
export const DhcpSpoofed = z.strictObject({
  MAC: text,
  Identifier: text,
  Name: text,
  Iface: text,
  Reason: text,
});
export const DhcpDeclined = z.strictObject({ MAC: text, Iface: text, IP: text });
export const DhcpExhausted = z.strictObject({ client: text, networks: z.array(text) });
export const DhcpServed = z.strictObject({ link: text, by: text });

/** A device came, left, or got an address; which fields are there follows from `kind`. */
export const LeaseEvent = z.union([
  z.strictObject({
    kind: z.literal("dhcp"),
    identity: text,
    ip: text,
    link: text,
    appeared: z.boolean(),
  }),
  z.strictObject({ kind: z.literal("release"), identity: text, ip: text, link: text }),
  z.strictObject({
    kind: z.literal("station"),
    identity: text,
    link: text,
    online: z.boolean(),
  }),
]);

const Station = { Iface: text, MAC: text, Router: text, Status: text };
export const StationEvent = z.strictObject({ ...Station, Event: text });
export const StationRefused = z.strictObject({ ...Station, Type: text, Reason: text });

export const VpnPeer = z.strictObject({
  IP: text,
  PublicKey: text,
  Iface: text,
  Name: text,
  removed: z.literal(true).optional(),
});
export const VpnConnection = z.strictObject({
  VPNType: text,
  DeviceIP: text,
  RemoteEndpoint: text,
  Status: z.enum(["online", "offline"]),
  Identity: text,
});
export const TunnelStatus = z.strictObject({
  tunnels: z.array(z.strictObject({ name: text, backend: z.unknown(), problem: z.unknown() })),
});

/** A device as responses show it, its password masked. */
export const DeviceEvent = z.looseObject({ MAC: text, Name: text });
export const DevicesEvent = z.record(text, DeviceEvent);

export const LogLine = z.strictObject({
  level: text,
  msg: text,
  time: z.iso.datetime(),
  func: text,
  file: text,
});

export const NoticeEvent = z.strictObject({ id: text, kind: text, resolved: z.boolean() });

/** An alert, as existing clients show it; a notice has its own data besides. */
export const AlertEvent = z.looseObject({
  Topic: text,
  RuleId: text,
  NotificationType: text.optional(),
  Title: text.optional(),
  Body: text.optional(),
  Event: z.unknown().optional(),
  Values: z.array(z.unknown()).optional(),
  State: text,
});

export const Heard = z.strictObject({
  SrcIP: text,
  MAC: text,
  Services: z.array(text),
  TXT: z.record(text, text),
  SSDPHeaders: z.record(text, text),
});

export const UplinkDown = z.strictObject({ Iface: text, Reason: text });
export const UplinkUp = z.strictObject({ Iface: text });
export const Failover = z.strictObject({ Iface: text, Action: z.enum(["removed", "restored"]) });
export const SpeedTest = z.strictObject({
  Iface: text,
  Time: whole,
  DownMbps: z.number(),
  Seconds: z.number(),
  Bytes: z.number(),
  URL: text,
  Error: text.optional(),
});
export const UplinkLease = z.strictObject({ Iface: text, IP: text, Router: text });
export const UplinkPortal = z.strictObject({ Iface: text, Portal: text, URL: text });
export const RunningUplinks = z.array(z.strictObject({ Iface: text, Running: z.boolean() }));
export const NetworkEvent = z.strictObject({
  state: text,
  detail: text.nullable(),
  drift: whole.optional(),
});
export const DyndnsUpdate = z.strictObject({ Host: text, Address: text, OK: z.boolean() });

/** A DNS query, as the query log keeps it. */
export const DnsServed = z.looseObject({ FirstName: text, Type: text, Remote: text });
export const DnsBlocked = z.strictObject({ ClientIP: text, Name: text });
export const DnsOverridden = z.strictObject({ ClientIP: text, IP: text, Name: text });
export const DnsRebinding = z.strictObject({ ClientIP: text, BlockedIP: text, Name: text });
export const DnsSkipped = z.strictObject({ count: whole });

export const TimeSynced = z.strictObject({ by: text, ip: text, status: whole });
/** `from` and `to`: unix milliseconds. */
export const TimeSet = z.strictObject({ by: text, ip: text, from: z.number(), to: z.number() });
export const PackagesInstalling = z.strictObject({ installing: z.boolean() });
export const By = z.strictObject({ by: text });
export const Nothing = z.strictObject({});
