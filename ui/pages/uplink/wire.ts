/** How an uplink is (`GET /wan/status`); times are unix seconds. */
export interface Uplink {
  readonly Iface: string;
  readonly Up: boolean;
  readonly Active: boolean;
  readonly Gateway: string;
  readonly LatencyMs: number;
  readonly JitterMs: number;
  readonly LossPct: number;
  readonly TotalOutages: number;
  readonly Downtime24h: number;
  readonly Reason: string;
  readonly IP: string;
  /** Its part of new connections beside those of others; 0: a spare. */
  readonly Weight: number;
  /** How much of all new connections it gets now. */
  readonly SharePct: number;
}

/** What was chosen for one uplink. */
export interface Share {
  readonly Iface: string;
  readonly Weight: number;
}

/** A minute or hour of an uplink (`GET /wan/history/…`). */
export interface Sample {
  readonly Time: number;
  readonly LatencyMs: number;
  readonly LossPct: number;
  readonly Up: boolean;
}

/** A time in which an uplink led nowhere (`GET /wan/outages`); `End` 0 while it lasts. */
export interface Outage {
  readonly Iface: string;
  readonly Start: number;
  readonly End: number;
  readonly Reason: string;
}

/** What a speed test came to (`GET /wan/speedtest`). */
export interface Speed {
  readonly Iface: string;
  readonly Time: number;
  readonly DownMbps: number;
  readonly Error?: string;
}

/** How uplinks are watched (`GET /wan/config`). */
export interface Watch {
  readonly Enabled: boolean;
  readonly IntervalSeconds: number;
  readonly ProbeTargets: readonly string[];
  readonly ProbeGateway: boolean;
  readonly FailThreshold: number;
  readonly RecoverThreshold: number;
  readonly FailoverEnabled: boolean;
  readonly Balance: "pair" | "source" | "connection" | "off";
  readonly Uplinks: readonly Share[];
  readonly SpeedTestURL: string;
}
