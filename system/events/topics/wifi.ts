import * as z from "zod";
import { RadioState } from "../../wifi/plan_schema.ts";
import { SupplicantState } from "../../wifi/supplicant/schema.ts";
import { document, text, type Topic } from "./topic.ts";

/** Interfaces of the radios that the machine has. */
const RadiosPresent = z.strictObject({ names: z.array(text) });
const Station = { Iface: text, MAC: text, Router: text, Status: text };
const StationEvent = z.strictObject({ ...Station, Event: text });
const StationRefused = z.strictObject({ ...Station, Type: text, Reason: text });
const UplinkPortal = z.strictObject({ Iface: text, Portal: text, URL: text });
const Nothing = z.strictObject({});
const LeafNotice = z.strictObject({ IP: text, Text: text });
const LeafChanged = z.strictObject({ IP: text, Status: text, Version: text });

/** Topics of Wi-Fi: radios, stations, and uplinks by Wi-Fi. */
export const WIFI_TOPICS: readonly Topic[] = [
  document("guests", "/wifi/guests", "the guest network"),
  document("mesh", "/plugins/mesh/config", "leaf routers, or the parent of this leaf"),
  {
    name: "mesh:leaf",
    what: "a leaf router, or which stations it has, changed",
    path: "/plugins/mesh/status",
    payload: LeafChanged,
  },
  {
    name: "mesh:notice",
    what: "a notice was opened on a leaf router",
    path: "/plugins/mesh/status",
    payload: LeafNotice,
  },
  {
    name: "mesh:sync",
    what: "everything is sent to the leaf routers again",
    path: "/plugins/mesh/status",
    payload: Nothing,
  },
  {
    name: "radio",
    what: "the state of a radio changed",
    path: "/wifi/radios",
    payload: RadioState,
  },
  {
    name: "radio:present",
    what: "a radio was plugged in or out",
    path: "/wifi/radios",
    payload: RadiosPresent,
  },
  document("radios", "/wifi/radios", "Wi-Fi settings"),
  document("roaming", "/hostapd/roaming/config", "roaming settings"),
  {
    name: "uplink:portal",
    what: "an uplink by Wi-Fi is behind a captive portal, or is no longer",
    path: "/uplink/wifi/status",
    payload: UplinkPortal,
  },
  {
    name: "uplink:wifi",
    what: "the connection of an uplink by Wi-Fi changed",
    path: "/uplink/wifi/status",
    payload: SupplicantState,
  },
  {
    name: "wifi:auth:fail",
    what: "a station could not associate",
    path: "/wifi/radios",
    payload: StationRefused,
  },
  {
    name: "wifi:auth:success",
    what: "a station associated",
    path: "/wifi/radios",
    payload: StationEvent,
  },
  {
    name: "wifi:psk:reload",
    what: "existing clients requested that passwords are loaded anew",
    path: "/wifi/networks",
    payload: Nothing,
  },
  {
    name: "wifi:station:disconnect",
    what: "a station disassociated",
    path: "/wifi/radios",
    payload: StationEvent,
  },
  document("wpa", "/uplink/wifi", "Wi-Fi networks to join"),
];
