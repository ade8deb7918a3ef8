/** Examples of components: what devices send and receive. */
const sums = { BytesIn: 1_048_576, BytesOut: 65_536 };
const usage = { IP: "192.168.2.6", ...sums };
const network = { ASN: 64_500, Name: "Example Net" };

export const TRAFFIC_EXAMPLES: Readonly<Record<string, unknown>> = {
  AsnUsage: { ...network, Country: "DE", ...sums, Devices: [usage] },
  CountryUsage: {
    Country: "DE",
    ...sums,
    Devices: [usage],
    ASNs: [{ ...network, ...sums }],
  },
  TrafficInsightsOverview: {
    Start: "2026-06-14T10:00:00.000Z",
    End: "2026-06-15T10:00:00.000Z",
    TotalIn: sums.BytesIn,
    TotalOut: sums.BytesOut,
    Countries: [{ Country: "DE", ...sums, Devices: [usage], ASNs: [{ ...network, ...sums }] }],
    ASNs: [{ ...network, Country: "DE", ...sums, Devices: [usage] }],
  },
  TrafficDeviceInsight: {
    ...usage,
    Destinations: [{
      IP: "198.51.100.7",
      Domain: "www.example.org",
      ASN: 64_500,
      ASNName: "Example Net",
      Country: "DE",
      ...sums,
      LastSeen: "2026-06-15T09:59:30.000Z",
    }],
  },
  IpTraffic: {
    Interface: "lan0",
    Src: "192.168.2.6",
    Dst: "198.51.100.7",
    SrcDomain: "",
    DstDomain: "www.example.org",
    Packets: 120,
    Bytes: 65_536,
    Timeout: 3600,
    Expires: 3590,
  },
  LiveConnection: {
    id: 4711,
    protocol: "tcp",
    device: "192.168.2.6",
    devicePort: 40_001,
    remote: "198.51.100.7",
    remotePort: 443,
    inbound: false,
    name: "www.example.org",
    asn: 64_500,
    network: "Example Net",
    country: "DE",
    seconds: 12.5,
    packetsIn: 90,
    packetsOut: 60,
    bytesIn: 120_000,
    bytesOut: 4800,
  },
  Resources: {
    Load: 0.12,
    Cores: 4,
    MemoryTotal: 4_120_000_000,
    MemoryFree: 2_950_000_000,
    DiskTotal: 31_000_000_000,
    DiskFree: 24_500_000_000,
  },
};
