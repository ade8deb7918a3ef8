import * as z from "zod";
import { ClassificationEvent } from "../../lookup/schema.ts";
import { document, text, type Topic, whole } from "./topic.ts";

const VpnConnection = z.strictObject({
  VPNType: text,
  DeviceIP: text,
  RemoteEndpoint: text,
  Status: z.enum(["online", "offline"]),
  Identity: text,
});

/** A device as responses show it, its password masked. */
const DeviceEvent = z.looseObject({ MAC: text, Name: text });
const DevicesEvent = z.record(text, DeviceEvent);
const DiscoveredServices = z.strictObject({
  SrcIP: text,
  MAC: text,
  Services: z.array(text),
  TXT: z.record(text, text),
  SSDPHeaders: z.record(text, text),
});

/** Topics of devices, and of what they announce. */
export const DEVICES_TOPICS: readonly Topic[] = [
  {
    name: "classify:result",
    what: "name, services or vendor of a device suggest another type than before",
    path: "/plugins/lookup/classifications",
    payload: z.strictObject(ClassificationEvent.shape),
  },
  {
    name: "device:delete",
    what: "a device was deleted",
    path: "/devices",
    payload: DeviceEvent,
  },
  {
    name: "device:groups:update",
    what: "groups of a device changed",
    path: "/devices",
    payload: DeviceEvent,
  },
  {
    name: "device:save",
    what: "a device was added",
    path: "/devices",
    payload: DeviceEvent,
  },
  {
    name: "device:tags:update",
    what: "tags of a device changed",
    path: "/devices",
    payload: DeviceEvent,
  },
  {
    name: "device:update",
    what: "a device changed",
    path: "/devices",
    payload: DeviceEvent,
  },
  {
    name: "device:vpn:",
    what: "a VPN peer came (`online`) or went (`offline`)",
    path: "/devices",
    payload: VpnConnection,
  },
  document("devices", "/devices", "devices"),
  {
    name: "devices:save",
    what: "devices changed: every device by its identity",
    path: "/devices",
    payload: DevicesEvent,
    passing: true,
  },
  {
    name: "group:schedule",
    what:
      "the schedule of a group withholds the access of its members (`Closed`), or no longer does",
    path: "/groups",
    payload: z.strictObject({ Name: text, Closed: z.boolean(), Until: whole }),
  },
  document("groups", "/groups", "groups"),
  document("multicast", "/multicastSettings", "discovery settings"),
  document("reach", "/reach/tests", "access tests"),
  {
    name: "zeroconf:device",
    what: "a device announced services by mDNS or SSDP",
    path: "/multicast/discovered",
    payload: DiscoveredServices,
  },
];
