/** Examples of components: access, changes, interfaces, uplinks and the machine. */
const AT = 1_767_225_600_000;

const patch = {
  document: "groups",
  path: ["kids", "Disabled"],
  before: false,
  after: true,
};
const change = {
  id: "01K3ZJ4Q7W",
  at: AT,
  by: "admin",
  from: "192.168.2.6",
  kind: "group.update",
  summary: "Disable the group kids",
  state: "committed",
  undoes: null,
  undoneBy: null,
};
const trace = {
  verdict: "accept",
  steps: [{
    table: "inet sluice",
    chain: "INPUT",
    comment: "The policy api allows it",
    outcome: "accept",
  }],
};
const refusal = {
  kind: "lockout",
  detail: "You would be locked out",
  members: {},
};
const notice = {
  id: "0f9c2c1e-6a51-4f0e-9d3b-5a1c7e2d4b60",
  kind: "dhcp-foreign-server",
  detail: "DHCP is off on lan0: another DHCP server, 192.168.2.2, answers there",
  data: { interface: "lan0", server: "192.168.2.2" },
  at: AT,
  lastAt: AT,
  count: 1,
  resolvedAt: null,
  resolvedBy: null,
  snoozedUntil: null,
};
const otp = { State: "registered", AlwaysOn: false, Confirmed: true };
const token = {
  Name: "home automation",
  Token: "c2x1aWNlLXRva2Vu",
  ID: "6f1d2c",
  Expire: 0,
  ScopedPaths: ["/devices:r"],
  LastUsed: 1_767_225_600,
};
const drift = {
  what: "address 192.168.2.1/24 on lan0",
  expected: "192.168.2.1/24",
  found: null,
  urgent: true,
};
const foreign = {
  family: "ip",
  table: "filter",
  chain: "FORWARD",
  type: "filter",
  hook: "forward",
  priority: "0",
  policy: "drop",
  rules: 4,
};
const machine = {
  ID: "4211",
  PID: 4211,
  Name: "nas",
  State: "running",
  Runtime: "qemu",
  CPUs: 2,
  MemoryMiB: 2048,
};
const base64 = "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoxMjM0NTY";
const credential = { id: base64, rawId: base64, type: "public-key" };

const neededPackage = {
  name: "nftables",
  installed: false,
  neededBy: [{ process: "netd", why: "loads the firewall rules" }],
};

export const ROUTER_EXAMPLES: Readonly<Record<string, unknown>> = {
  ArpEntry: {
    IP: "192.168.2.6",
    HWType: "0x1",
    Flags: "0x2",
    MAC: "02:00:00:00:0a:01",
    Mask: "*",
    Device: "lan0",
  },
  KernelInterface: {
    ifindex: 3,
    ifname: "lan0",
    flags: ["BROADCAST", "MULTICAST", "UP", "LOWER_UP"],
    mtu: 1500,
    qdisc: "fq_codel",
    operstate: "UP",
    group: "default",
    link_type: "ether",
    address: "02:00:00:00:00:01",
    broadcast: "ff:ff:ff:ff:ff:ff",
    addr_info: [
      { family: "inet", local: "192.168.2.1", prefixlen: 24, scope: "global" },
    ],
  },
  ApiToken: token,
  AssertionAnswer: {
    session: "b7d1c0",
    credential: {
      ...credential,
      response: { clientDataJSON: base64, authenticatorData: base64, signature: base64 },
    },
  },
  BackupItem: {
    Name: "spr-configs-v0.1.0.tgz",
    Timestamp: "2026-01-01T00:00:00Z",
    Size: 18_432,
  },
  BackupReport: {
    taken: [{
      path: "base/firewall.json",
      document: "firewall",
      dropped: [{ pointer: "/BlockRules/3", message: "Write an IPv4 address" }],
    }],
    left: [{ path: "notes.txt", reason: "It is no configuration file" }],
    missing: [{
      name: "eth0",
      role: "uplink",
      mac: "02:00:00:00:0a:10",
      here: false,
      suggestion: "enp3s0",
    }],
    present: [{ name: "enp3s0", mac: "02:00:00:00:0a:20", hardware: true, radio: false }],
  },
  CeremonyOptions: { Session: "b7d1c0", Options: { publicKey: { challenge: base64 } } },
  CertificateStatus: {
    on: true,
    certificate: {
      from: AT,
      to: AT + 397 * 86_400_000,
      dns: ["router.lan"],
      ip: ["192.168.2.1"],
      own: true,
    },
    authority: {
      from: AT,
      to: AT + 3650 * 86_400_000,
      fingerprint: "5A:9C:1E:77:40:D2:8B:03",
    },
  },
  ChangeDetail: { ...change, patch: [patch], system: ["nft delete element inet sluice kids"] },
  ChangeList: { items: [change], next: null },
  ChangeSummary: change,
  Container: {
    Id: "dnsd-812",
    Names: ["/dnsd"],
    Image: "sluice:0.1.0",
    State: "running",
    Status: "running",
    Created: 1_767_225_600,
    NetworkSettings: { Networks: {} },
  },
  ContainerNetwork: {
    Id: "7d86d31b1478",
    Name: "bridge",
    Driver: "bridge",
    Scope: "local",
    Internal: false,
    IPAM: { Config: [{ Subnet: "172.17.0.0/16", Gateway: "172.17.0.1" }] },
    Options: { "com.docker.network.bridge.name": "docker0" },
  },
  Drift: drift,
  ForeignChain: foreign,
  InterfaceEntry: {
    Name: "wan0",
    Type: "Uplink",
    Subtype: "ethernet",
    Enabled: true,
    DisableDHCP: false,
  },
  LinkUpdate: { Name: "lan0", Type: "Downlink", Enabled: true },
  LogLine: {
    CONTAINER_NAME: "dnsd",
    MESSAGE: "Listening on 192.168.2.1",
    __REALTIME_TIMESTAMP: AT * 1000,
    PRIORITY: "6",
    _TRANSPORT: "stdout",
  },
  Login: { Name: "admin", Password: "correct horse battery" },
  LoginAnswer: { name: "admin", role: "admin", id: "9a41", expires: AT + 604_800_000, otp },
  NetworkStatus: { state: "applied", detail: null, drift: [], more: 0, foreign: [foreign] },
  Notice: notice,
  NoticeSnooze: { Minutes: 1440 },
  NoticeList: { items: [notice], next: null },
  OtpRequest: { Name: "admin", Code: "123456" },
  OtpSettings: {
    OTPUsers: [{ Name: "admin", Secret: "JBSWY3DPEHPK3PXP", Confirmed: false, AlwaysOn: false }],
    JWTDurationSeconds: 3600,
  },
  OtpStatus: otp,
  PacketTrace: trace,
  PasskeyDeletion: { ID: base64 },
  PasskeyLogin: { Name: "admin", Token: "c2x1aWNlLXRva2Vu", Expire: 1_767_312_000 },
  PasskeyStatus: {
    Registered: true,
    Credentials: [{
      ID: base64,
      Name: "Phone",
      CreatedAt: AT,
      LastUsed: AT,
      Host: "router.lan",
    }],
  },
  PasswordChange: { Current: "correct horse battery", New: "staple battery horse" },
  PatchEntry: patch,
  NeededPackage: neededPackage,
  PackageList: { items: [neededPackage], installs: true, installing: false },
  Preview: {
    config: [patch],
    effects: ["Port forward Web is deleted with nas"],
    system: ["nft delete element inet sluice kids"],
    addresses: ["192.168.2.1"],
    firstApply: { installs: true, items: [neededPackage] },
    reach: {
      allowed: [],
      denied: [{
        from: "02:00:00:00:0a:01",
        to: "02:00:00:00:0a:02",
        traffic: "all",
        reason: "The group kids is disabled",
      }],
      more: 0,
      own: { before: trace, after: trace },
    },
    refusals: [],
  },
  Refusal: refusal,
  RegistrationAnswer: {
    session: "b7d1c0",
    credential: {
      ...credential,
      response: { clientDataJSON: base64, attestationObject: base64, transports: ["internal"] },
    },
  },
  Release: { CustomChannel: "", CustomVersion: "", Current: "0.1.0" },
  ReleaseSet: { CustomChannel: "main", CustomVersion: "0.2.0" },
  SessionView: {
    id: "9a41",
    user: "admin",
    createdAt: AT,
    lastSeen: AT,
    expires: AT + 604_800_000,
    source: "192.168.2.6",
    agent: "Mozilla/5.0 (X11; Linux x86_64)",
    tls: true,
    passkey: null,
    current: true,
  },
  SocketEntry: {
    netid: "tcp",
    state: "LISTEN",
    recv_q: 0,
    send_q: 511,
    local_address: "192.168.2.1",
    local_port: "443",
    peer_address: "0.0.0.0",
    peer_port: "*",
  },
  Stage: { stage: "in", user: "admin", role: "admin", open: false },
  Theme: {
    id: "custom-forest",
    name: "Forest",
    spec: {
      colorMode: "dark",
      accent: "#3fa34d",
      background: "#101a12",
      card: "#18261b",
      text: "#e8f0e9",
      font: "Inter, sans-serif",
    },
  },
  TokenDeletion: { ID: "6f1d2c" },
  TokenRequest: { Name: "home automation", Expire: 0, ScopedPaths: ["/devices:r"] },
  VirtualMachine: machine,
  VirtualMachines: {
    Discovery: "processes",
    KVMAvailable: true,
    ContainerMetadataAvailable: true,
    VirtualMachines: [machine],
  },
  WindowState: {
    window: {
      id: "01K3ZJ4Q7W",
      until: AT + 60_000,
      secondsLeft: 60,
      summary: "Set the address of the uplink wan0",
    },
  },
};
