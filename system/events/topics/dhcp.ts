import * as z from "zod";
import { document, text, type Topic } from "./topic.ts";

const DhcpRequested = z.strictObject({
  MAC: text,
  Identifier: text,
  Name: text,
  Iface: text,
  ParamReqList: text,
  VendorClass: text,
});
const DhcpAnswered = z.strictObject({
  Identifier: text,
  IP: text,
  RouterIP: text,
  DNSIP: text,
  LeaseTime: text,
});
const DhcpSpoofed = z.strictObject({
  MAC: text,
  Identifier: text,
  Name: text,
  Iface: text,
  Reason: text,
});
const DhcpDeclined = z.strictObject({ MAC: text, Iface: text, IP: text });
const DhcpExhausted = z.strictObject({ client: text, networks: z.array(text) });
const DhcpServed = z.strictObject({ link: text, by: text });

/** A device came, left, or got an address; which fields are there follows from `kind`. */
const LeaseEvent = z.union([
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

/** Topics of DHCP and leases. */
export const DHCP_TOPICS: readonly Topic[] = [
  document("admissions", "/dhcp/admissions", "who is let in as an unknown device"),
  document("dhcp", "/subnetConfig", "DHCP settings"),
  {
    name: "dhcp:decline",
    what: "a client declined its address",
    path: "/dhcp/leases",
    payload: DhcpDeclined,
  },
  {
    name: "dhcp:exhausted",
    what: "no address was free",
    path: "/dhcp/pools",
    payload: DhcpExhausted,
  },
  {
    name: "dhcp:request",
    what: "a client asks for an address",
    path: "/dhcp/leases",
    payload: DhcpRequested,
  },
  {
    name: "dhcp:response",
    what: "a client was leased an address",
    path: "/dhcp/leases",
    payload: DhcpAnswered,
  },
  {
    name: "dhcp:serve",
    what: "an admin serves DHCP beside another server",
    path: "/dhcp/pools",
    payload: DhcpServed,
  },
  {
    name: "dhcp:spoof",
    what: "a client sent a request in the name of another",
    path: "/dhcp/leases",
    payload: DhcpSpoofed,
  },
  {
    name: "leases",
    what: "a device came, left or got an address",
    path: "/dhcp/leases",
    payload: LeaseEvent,
  },
];
