/** A device as `GET /devices` answers it. */
export interface Device {
  readonly Name: string;
  readonly MAC: string;
  readonly WGPubKey: string;
  readonly VLANTag: string;
  readonly RecentIP: string;
  readonly PSKEntry: { readonly Type: string; readonly Psk: string };
  readonly Policies: readonly string[];
  readonly Groups: readonly string[];
  readonly DeviceTags: readonly string[];
  /** Time text; empty when never. */
  readonly DHCPFirstTime: string;
  readonly DHCPLastTime: string;
  readonly DHCPLastInterface: string;
  readonly Style?: { readonly Icon: string; readonly Color: string };
  /** Unix seconds; 0 never. */
  readonly DeviceExpiration: number;
  readonly DeleteExpiration: boolean;
  readonly DeviceDisabled: boolean;
  readonly Online: boolean;
}

/** Devices by identity. */
export type Devices = Readonly<Record<string, Device>>;

export interface Group {
  readonly Name: string;
  readonly Disabled: boolean;
  readonly GroupTags: readonly string[];
}

/** One changed value; absent `before`: added; absent `after`: removed. */
export interface PatchEntry {
  readonly document: string;
  readonly path: readonly string[];
  readonly before?: unknown;
  readonly after?: unknown;
}

/** One answer to "can A reach B" that a change flips. `from`, `to`: identity, `internet`, `router`. */
export interface ReachFlip {
  readonly from: string;
  readonly to: string;
  readonly what: string;
  readonly because: string;
}

export interface Judgement {
  readonly verdict: "accept" | "drop" | "reject";
  readonly steps: readonly { readonly words: string; readonly outcome: string }[];
}

/** What a write would do, as `?dryRun=true` answers it. */
export interface Preview {
  readonly config: readonly PatchEntry[];
  readonly system: readonly string[];
  readonly reach: {
    readonly gains: readonly ReachFlip[];
    readonly losses: readonly ReachFlip[];
    readonly more: number;
    readonly own: { readonly before: Judgement; readonly after: Judgement } | null;
  };
}

export interface Change {
  readonly id: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly by: string;
  readonly from: string | null;
  readonly kind: string;
  readonly summary: string;
  readonly state: string;
  readonly undoes: string | null;
  readonly undoneBy: string | null;
}

export interface ChangeDetail extends Change {
  readonly patch: readonly PatchEntry[];
  readonly system: readonly string[];
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** The change that undoes itself unless it is kept. */
export interface ConfirmWindow {
  readonly id: string;
  readonly until: number;
  readonly secondsLeft: number;
  readonly summary: string;
}

export interface Session {
  readonly id: string;
  readonly user: string;
  /** Address it was opened from. */
  readonly source: string;
  /** What the browser calls itself. */
  readonly agent: string;
  readonly createdAt: number;
  readonly lastSeen: number;
  readonly current: boolean;
}

export interface Notice {
  readonly id: string;
  readonly kind: string;
  readonly at: number;
  readonly detail: string;
  /** Facts of its kind, such as the link it is about. */
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface Network {
  readonly state: "applied" | "model" | "blocked" | "broken" | "released";
  readonly detail: string | null;
  /** What differs in the kernel; `urgent` ones are put right without asking. */
  readonly drift?: readonly {
    readonly what: string;
    readonly expected: string | null;
    readonly found: string | null;
    readonly urgent: boolean;
  }[];
  /** Differences beyond those listed. */
  readonly more?: number;
  /** Chains of others on a packet’s way. */
  readonly foreign?: readonly {
    readonly family: string;
    readonly table: string;
    readonly chain: string;
    readonly type: string;
    readonly hook: string;
    readonly priority: string;
    readonly policy: string;
    readonly rules: number;
  }[];
}

export interface OtpStatus {
  readonly State: string;
  readonly AlwaysOn: boolean;
  readonly Confirmed?: boolean;
}
