/** Examples of components: devices, groups, DHCP, the firewall and reachability. */
const TABLET = "02:00:00:00:0a:01", PRINTER = "02:00:00:00:0a:02";

const device = {
  Name: "Kids' tablet",
  MAC: TABLET,
  WGPubKey: "",
  VLANTag: "",
  RecentIP: "192.168.2.6",
  DNSCustom: "",
  PSKEntry: { Type: "sae", Psk: "**" },
  Policies: ["wan", "dns:family"],
  Groups: ["kids"],
  DeviceTags: ["tablet"],
};
const look = { Style: { Icon: "Tablet", Color: "green" }, DeviceExpiration: 0 };

const named = { RuleName: "web server", Description: "", Disabled: false };
const forward = {
  Protocol: "tcp",
  SrcIP: "0.0.0.0/0",
  SrcPort: "8443",
  DstIP: "192.168.2.10",
  DstPort: "443",
  From: [],
  ...named,
};
const block = {
  Protocol: "tcp",
  SrcIP: "192.168.2.6",
  DstIP: "192.168.2.10",
  RuleName: "no printing",
  Description: "",
  Disabled: false,
};
const throughBlock = { ...block, DstPort: "9100" };
const outputBlock = {
  ...throughBlock,
  SrcIP: "0.0.0.0/0",
  DstIP: "198.51.100.7",
  DstPort: "25",
  RuleName: "no mail",
};
const custom = {
  Interface: "docker0",
  SrcIP: "172.17.0.0/16",
  RouteDst: "",
  Policies: ["wan", "dns"],
  Groups: [],
  Tags: [],
  RuleName: "containers",
  Description: "",
  Disabled: false,
};
const port = { Protocol: "tcp", Port: "443", UpstreamEnabled: false, Description: "UI" };
const endpoint = {
  RuleName: "printer",
  Description: "",
  Disabled: false,
  Protocol: "tcp",
  IP: "192.168.2.10",
  Domain: "",
  Port: "9100",
  Tags: ["office"],
};

const test = {
  Name: "tablet online",
  From: TABLET,
  To: "internet",
  Protocol: "tcp",
  Port: "443",
  Expect: "accept",
};
const reason = "The policy wan of Kids' tablet allows it";
const tablet = {
  kind: "device",
  name: "Kids' tablet",
  identity: TABLET,
  address: "192.168.2.6",
  link: "lan0",
};
const rule = {
  description: "The policy wan of Kids' tablet allows it",
  table: "inet sluice",
  chain: "FORWARD",
  set: "internet_access",
  key: ["192.168.2.6", "lan0"],
  outcome: "accept",
  decides: true,
};
const suggestion = {
  summary: "Remove the policy wan from Kids' tablet",
  method: "PUT",
  path: `/device?identity=${TABLET}`,
  body: { Policies: ["dns:family"] },
  sideEffects: "",
  allows: 0,
  denies: 1,
};
const ruleReference = {
  list: "BlockRules",
  index: 1,
  pointer: "/BlockRules/1",
  name: "no printing",
};
const matrixClass = {
  kind: "device",
  members: [TABLET],
  groups: ["kids"],
  policies: ["wan", "dns:family"],
};

export const LAN_EXAMPLES: Readonly<Record<string, unknown>> = {
  AccessChange: { from: TABLET, to: "internet", traffic: "all", reason },
  Admission: { Interface: "lan0", Until: 1_767_229_200 },
  AdmissionRequest: { Interface: "lan0", Minutes: 60 },
  Admissions: { Open: [{ Interface: "lan0", Until: 1_767_229_200 }] },
  Approval: { Identities: [TABLET, PRINTER], Access: "internet", Groups: ["kids"] },
  BlockRule: block,
  BulkAdd: { Identities: [TABLET, PRINTER], Groups: ["kids"], Tags: ["tablet"], Policies: ["wan"] },
  BulkAddResult: { updated: [TABLET, PRINTER], count: 2 },
  BulkDeleteResult: { deleted: [TABLET], count: 1 },
  CustomInterfaceRule: custom,
  CustomRuleName: { Interface: "docker0", SrcIP: "172.17.0.0/16", RouteDst: "" },
  Device: {
    ...device,
    DHCPFirstTime: "2026-01-01 08:30:00.000 +0000 UTC",
    DHCPLastTime: "2026-01-02 17:05:12.000 +0000 UTC",
    DHCPLastInterface: "lan0",
    ...look,
    DeleteExpiration: false,
    DeviceDisabled: false,
    Online: true,
  },
  DeviceUpdate: { Name: "Kids' tablet", Policies: ["wan", "dns:family"], Groups: ["kids"] },
  Endpoint: endpoint,
  EndpointName: { RuleName: "printer" },
  FailureEcho: {
    Iface: "wlan0",
    Type: "sae",
    MAC: TABLET,
    Reason: "mismatch",
    Status: "",
    Router: "",
  },
  FirewallConfig: {
    ForwardingRules: [forward],
    BlockRules: [block],
    OutputBlockRules: [outputBlock],
    ForwardingBlockRules: [throughBlock],
    CustomInterfaceRules: [custom],
    ServicePorts: [port],
    Endpoints: [endpoint],
    MulticastPorts: [{ Port: "5353", Upstream: false }],
    PingLan: true,
    PingWan: false,
    SystemDNSOverride: "",
  },
  ForwardingBlockRule: throughBlock,
  ForwardingRule: forward,
  Group: { Name: "kids", Disabled: false, GroupTags: [], ServiceDestinations: [] },
  GroupName: { Name: "kids" },
  GroupUpdate: { Name: "kids", Disabled: false, GroupTags: [] },
  DiscoveredSender: {
    address: "224.0.0.251:5353",
    source: "192.168.2.10",
    link: "lan0",
    identity: PRINTER,
    services: ["_ipp._tcp"],
    lastSeen: 1_767_225_600_000,
  },
  IcmpOptions: { PingLan: true, PingWan: false },
  LeaseItem: {
    identity: TABLET,
    address: "192.168.2.6",
    interface: "lan0",
    since: 1_767_225_600_000,
    until: 1_767_312_000_000,
    name: "Kids' tablet",
    online: true,
    clientId: "01020000000a01",
    sameClient: [],
  },
  LintFinding: {
    kind: "duplicate",
    severity: "warning",
    rule: ruleReference,
    other: { ...ruleReference, index: 0, pointer: "/BlockRules/0" },
    text: "This rule repeats the rule no printing",
    fix: { summary: "Delete the rule", method: "DELETE", path: "/firewall/block", body: block },
  },
  MatrixClass: matrixClass,
  MulticastAddress: { Address: "224.0.0.251:5353", Disabled: false, Tags: [], Description: "mDNS" },
  MulticastPort: { Port: "5353", Upstream: false },
  MulticastPortName: { Port: "5353" },
  MulticastSettings: {
    Disabled: false,
    Addresses: [
      { Address: "224.0.0.251:5353", Disabled: false, Tags: [], Description: "mDNS" },
    ],
    DisableMDNSAdvertise: false,
    MDNSName: "router",
  },
  OutputBlockRule: outputBlock,
  PoolUse: { net: "192.168.2.0/24", size: 63, used: 12 },
  ReachAnswer: {
    verdict: "accept",
    reason,
    rules: [rule],
    from: tablet,
    to: { kind: "internet", name: "the Internet", identity: null, address: null, link: null },
  },
  ReachEnd: tablet,
  ReachMatrix: {
    classes: [matrixClass, { kind: "internet", members: [], groups: [], policies: [] }],
    answers: [
      { access: "everything", reason },
      { access: "nothing", reason: "Nothing allows connections from the Internet" },
    ],
    cells: [[-1, 0], [1, -1]],
  },
  ReachRule: rule,
  ReachSuggestion: suggestion,
  ReachTest: test,
  ReachTestName: { Name: "tablet online" },
  ReachTestResult: { ...test, passes: true, verdict: "accept", reason },
  RuleCounter: {
    kind: "forward",
    rule: "tcp 0.0.0.0/0 8443 to 192.168.2.10 443",
    packets: 1204,
    bytes: 318_212,
    since: 1_767_225_600_000,
    lastUsed: 1_767_229_200_000,
  },
  RuleReference: ruleReference,
  ServicePort: port,
  ServicePortName: { Protocol: "tcp", Port: "443" },
  StationDisconnect: {
    Iface: "wlan0",
    Event: "AP-STA-DISCONNECTED",
    MAC: TABLET,
    Status: "",
    Router: "",
  },
  StationEcho: {
    Iface: "wlan0",
    Event: "AP-STA-CONNECTED",
    MAC: TABLET,
    Status: "Okay",
    Router: "",
  },
  StationFailure: { Iface: "wlan0", Type: "sae", MAC: TABLET, Reason: "mismatch", Status: "" },
  StationSuccess: { Iface: "wlan0", Event: "AP-STA-CONNECTED", MAC: TABLET, Status: "" },
  SubnetConfig: { TinyNets: ["192.168.2.0/24"], LeaseTime: "24h0m0s", NTPServers: [] },
  SyncDevice: { ...device, ...look },
};
