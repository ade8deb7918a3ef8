import type { AlertRule } from "./schema.ts";

interface Words {
  readonly type: string;
  readonly title: string;
  readonly body: string;
}

interface Given extends Words {
  readonly id: string;
  readonly name: string;
  readonly topic: string;
  readonly on?: true;
  readonly send?: true;
  readonly store?: true;
  readonly condition?: string;
  readonly fields?: readonly string[];
}

/** The rules of a first start, as existing routers have them. */
export const DEFAULT_RULES: readonly AlertRule[] = ([
  {
    id: "7e2b64a1-27a4-4b55-9c3f-1f0a52c1d001",
    name: "MAC Filter Violation",
    topic: "nft:drop:mac",
    store: true,
    type: "warning",
    title: "MAC filter violation",
    body: "{{InDev}} {{IP.SrcIP}} {{Ethernet.SrcMAC}} to {{IP.DstIP}} {{Ethernet.DstMAC}}",
  },
  {
    id: "7e2b64a1-27a4-4b55-9c3f-1f0a52c1d002",
    name: "User Login Failure",
    topic: "auth:failure",
    store: true,
    condition: '$[?(@.type=="user")]',
    type: "error",
    title: "Sign-in failed",
    body: "{{name}}: {{reason}}",
  },
  {
    id: "7e2b64a1-27a4-4b55-9c3f-1f0a52c1d003",
    name: "Drop Private Request",
    topic: "nft:drop:private",
    store: true,
    type: "warning",
    title: "Request to a private network blocked",
    body: "{{IP.SrcIP#Device}} on {{InDev}} to {{IP.DstIP}} on {{OutDev}}",
  },
  {
    id: "7e2b64a1-27a4-4b55-9c3f-1f0a52c1d004",
    name: "Wifi Auth Failure",
    topic: "wifi:auth:fail",
    on: true,
    send: true,
    store: true,
    type: "warning",
    title: "Wi-Fi sign-in failed",
    body: "{{MAC#Device}}: {{Reason}} {{Type}}",
  },
  {
    id: "7e2b64a1-27a4-4b55-9c3f-1f0a52c1d005",
    name: "Device Connected",
    topic: "wifi:auth:success",
    on: true,
    send: true,
    fields: ["MAC"],
    type: "success",
    title: "Device connected",
    body: "{{MAC#Device}}",
  },
  {
    id: "7e2b64a1-27a4-4b55-9c3f-1f0a52c1d006",
    name: "Dropped Input",
    topic: "nft:drop:input",
    store: true,
    type: "warning",
    title: "Connection to the router blocked",
    body: "{{IP.SrcIP#Device}} to port {{TCP.DstPort}}{{UDP.DstPort}}",
  },
  {
    id: "7e2b64a1-27a4-4b55-9c3f-1f0a52c1d007",
    name: "ASN/Geo Block",
    topic: "nft:drop:geo",
    on: true,
    store: true,
    type: "warning",
    title: "Blocked by country or network",
    body: "{{IP.SrcIP#Device}} to {{IP.DstIP}} {{RecentDomainDst}}",
  },
  {
    id: "7e2b64a1-27a4-4b55-9c3f-1f0a52c1d008",
    name: "dns resolve",
    topic: "dns:serve:",
    condition: '$[?(@.FirstName=="games.example.")]',
    fields: ["FirstName", "Remote"],
    type: "info",
    title: "Domain queried",
    body: "{{Remote}} {{FirstName}}",
  },
  {
    id: "7e2b64a1-27a4-4b55-9c3f-1f0a52c1d009",
    name: "VPN Connection",
    topic: "device:vpn:online",
    on: true,
    send: true,
    type: "info",
    title: "VPN connected",
    body: "{{DeviceIP#Device}} {{VPNType}} {{RemoteEndpoint}}",
  },
  {
    id: "7e2b64a1-27a4-4b55-9c3f-1f0a52c1d010",
    name: "VPN Connection",
    topic: "device:vpn:offline",
    on: true,
    send: true,
    type: "info",
    title: "VPN disconnected",
    body: "{{DeviceIP#Device}} {{VPNType}} {{RemoteEndpoint}}",
  },
] satisfies Given[]).map((given: Given): AlertRule => ({
  TopicPrefix: given.topic,
  MatchAnyOne: false,
  InvertRule: false,
  Conditions: given.condition === undefined ? [] : [{ JPath: given.condition }],
  Actions: [{
    SendNotification: given.send ?? false,
    StoreAlert: given.store ?? false,
    StoreTopicSuffix: "",
    BucketSuffix: "",
    MessageTitle: given.title,
    MessageBody: given.body,
    NotificationType: given.type,
    ActionType: "",
    GrabEvent: given.fields === undefined,
    GrabValues: false,
    GrabFields: [...given.fields ?? []],
  }],
  Name: given.name,
  Disabled: given.on !== true,
  RuleId: given.id,
}));
