import { addressOf, DEVICES, GROUPS, SEARCHED } from "../load/home.ts";
import type { Call } from "./calls.ts";
import { transferCalls } from "./transfer_calls.ts";

/** Domains of the override list, and labels of each device, so that either takes megabytes. */
const DOMAINS = 10_000, LABELS = 60;
/** Characters of the largest texts that may be uploaded. */
const LARGEST_TEXT = 30 << 20, LARGEST_ARCHIVE = 11 << 20;

/** Everything that is computed over all devices, groups and rules at once, and the largest bodies. */
export function heavyCalls(identities: readonly string[]): readonly Call[] {
  const [one, other] = [identities[5]!, identities[6]!];
  const filter = encodeURIComponent('$[?(@.name=="user 70" && @.n < 10000)]');
  const get = (path: string): Call => ({ what: `GET ${path}`, method: "GET", path });
  const put = (what: string, path: string, body?: unknown): Call => ({
    ...{ what, method: "PUT", path },
    ...(body === undefined ? {} : { body }),
  });
  const preview = (what: string, path: string, body: unknown): Call =>
    put(`preview: ${what}`, `${path}${path.includes("?") ? "&" : "?"}dryRun=true`, body);
  const forward = { Protocol: "tcp", SrcPort: "9", DstIP: addressOf(7), DstPort: "9" };
  const group = (members: readonly string[]) => ({
    ...{ Name: "everybody", Title: "Everybody", Members: members },
  });
  const bulk = { Identities: identities, Policies: ["lan"], Tags: ["all"] };
  const search = `/plugins/db/items/${SEARCHED}?num=100`;
  return [
    get("/reach/matrix"),
    put("change a device", `/device?identity=${one}`, { Policies: ["dns"] }),
    { ...get("/reach/matrix"), what: "GET /reach/matrix after a change" },
    {
      ...get(`/reach?from=${one}&to=${other}&protocol=tcp&port=443&suggest=true`),
      what: "ways to allow, device to device",
    },
    {
      ...get(`/reach?from=${one}&to=internet&protocol=tcp&port=443&suggest=true`),
      what: "ways to allow, device to the Internet",
    },
    ...[
      ...["/firewall/lint", "/firewall/counters", "/firewall/config", "/devices", "/groups"],
      ...["/topology", "/status", "/network", "/nftables", "/ip/addr", "/arp", "/metrics"],
      ...["/dhcp/leases", "/dhcp/pools", "/iptraffic", "/traffic_history", "/traffic_rates"],
      ...["/flows", "/traffic_insights/overview", "/changes?limit=100", "/logs", "/notices"],
      ...["/alerts", "/support", "/openapi.json", "/reach/tests", "/plugins/wireguard/peers"],
      ...["/dns/hostnames", "/plugins/dns/block/config", "/plugins/db/stats", "/interfaces"],
      ...["/interfacesConfiguration", "/plugins/db/topics", "/multicast/discovered"],
      ...["/hostapd/roaming/status", "/backup", "/pendingPSK", "/packages", "/auth/sessions"],
    ].map((path) => ({ ...get(path), refused: true })),
    { ...get("/logs?text=device"), refused: true },
    { ...get(search), what: "search of events, latest 100" },
    { ...get(`${search}&filter=${filter}`), what: "search of events by value" },
    preview("policies of a device", `/device?identity=${one}`, { Policies: ["dns", "lan"] }),
    preview("an admin device", `/device?identity=${one}`, { AdminAccess: true }),
    preview("policies of all devices", "/devices/bulk", bulk),
    preview("a group of all devices", "/groups", group(identities)),
    preview("a group is disabled", "/groups", { Name: "group 1", Disabled: true }),
    preview("a forward", "/firewall/forward", forward),
    preview("a block of everything", "/firewall/block", {
      ...{ Protocol: "tcp", SrcIP: "0.0.0.0/0", DstIP: "0.0.0.0/0", DstPort: "1-65535" },
    }),
    preview("another network of tiny nets", "/subnetConfig", {
      ...{ TinyNets: ["10.0.0.0/8"], LeaseTime: "24h0m0s" },
    }),
    preview("the undo of a change", "/changes/{change}/undo", undefined),
    preview("all devices sent anew", "/devices?force=true", devices(identities, 2)),
    put("a forward", "/firewall/forward", forward),
    put("a group of all devices", "/groups", group(identities)),
    put("the title of that group", "/groups", { ...group(identities), Title: "EveryBody" }),
    {
      ...put("that group is deleted", "/groups"),
      method: "DELETE",
      body: { Name: "everybody" },
      refused: true,
    },
    put("policies and tags of all devices", "/devices/bulk", bulk),
    put("all devices, small", "/devices?force=true", devices(identities, 1)),
    put("all devices, megabytes", "/devices?force=true", devices(identities, LABELS)),
    { ...get("/changes/{change}"), what: "GET the change of all devices" },
    preview("to a point of the history", "/changes/{change}/restore", undefined),
    put("an override list, megabytes", "/plugins/dns/block/overrideList/large", overrides()),
    put("a block list of 30 MB", "/plugins/dns/block/upload/large", {
      Text: domains(LARGEST_TEXT),
    }),
    {
      ...put("a table of networks of 30 MB", "/plugins/lookup/tables/asn", {
        Text: domains(LARGEST_TEXT),
      }),
      refused: true,
    },
    {
      ...put("a plugin of 11 MB", "/plugin/review", { Archive: "A".repeat(LARGEST_ARCHIVE) }),
      refused: true,
    },
    {
      ...put("a backup of 11 MB, no archive", "/backup/upload", {
        Archive: "A".repeat(LARGEST_ARCHIVE),
      }),
      refused: true,
    },
    put("import of a WireGuard server with 1,000 peers", "/plugins/wireguard/import", {
      Config: wireguardServer(),
    }),
    { ...put("backup", "/backup") },
    preview("a restore", "/backup/{backup}/restore?force=true", undefined),
    get("/backup/{backup}/report"),
    put("one device", `/device?identity=${one}`, { Name: "renamed" }),
    put("a restore", "/backup/{backup}/restore?force=true"),
    { ...get("/changes/{change}"), what: "GET the change of a restore" },
    preview("the undo of a restore", "/changes/{change}/undo?force=true", undefined),
    put("the undo of a restore", "/changes/{change}/undo?force=true"),
    get("/devices"),
    get("/support"),
    ...transferCalls(devices(identities, 1)),
  ].map((call) => ({ ...call, refused: call.refused ?? false }));
}

function devices(identities: readonly string[], labels: number): Readonly<Record<string, unknown>> {
  return Object.fromEntries(identities.map((MAC, i) => [MAC, {
    Name: `device ${i}`,
    MAC,
    RecentIP: addressOf(i),
    PSKEntry: { Type: "sae", Psk: `password ${i}` },
    Policies: ["wan", "dns"],
    Groups: [`group ${i % GROUPS}`],
    DeviceTags: Array.from(
      { length: labels },
      (_, n) => `tag ${n} of the devices that are numbered from ${Math.floor(i / 10)}`,
    ),
    Style: { Icon: "", Color: "" },
  }]));
}

function overrides(): unknown {
  const domain = (i: number) => ({
    ...{ Type: "block", Domain: `host-${i}.${"long-".repeat(10)}name.example.test`, Tags: [] },
    ...{
      ClientIP: addressOf(i % DEVICES),
      ResultIP: "",
      Expiration: 0,
      Groups: [`group ${i % GROUPS}`],
    },
  });
  return {
    Name: "large",
    Enabled: true,
    Tags: [],
    BlockDomains: Array.from({ length: DOMAINS }, (_, i) => domain(i)),
  };
}

function domains(length: number): string {
  const line = (i: number): string => `0.0.0.0 advertisements-${i}.example.test\n`;
  const lines: string[] = [];
  for (let i = 0, size = 0; size < length - 100; size += lines[i++]!.length) lines.push(line(i));
  return lines.join("");
}

function wireguardServer(): string {
  const key = (i: number): string => {
    const bytes = new Uint8Array(32).fill(7);
    bytes.set([i >> 8, i & 255], 4);
    return bytes.toBase64();
  };
  const peers = Array.from(
    { length: 1000 },
    (_, i) =>
      `[Peer]\nPublicKey = ${key(i)}\nAllowedIPs = 192.168.${128 + (i >> 6)}.${
        4 * (i & 63) + 2
      }/32\n`,
  );
  return `[Interface]\nPrivateKey = ${
    key(5000)
  }\nAddress = 192.168.127.1/24\nListenPort = 51820\n\n${peers.join("\n")}`;
}
