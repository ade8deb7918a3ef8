export type {
  AccessChange,
  Change,
  ChangeDetail,
  ConfirmWindow,
  Judgement,
  Notice,
  PatchEntry,
  Preview,
  Refusal,
} from "../routes/wire.ts";

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

export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** `GET /auth/stage`: where this browser stands. */
export interface StageAnswer {
  readonly stage: "setup" | "out" | "code" | "in";
  readonly user: string;
  /** True while setup is still to be made. */
  readonly open: boolean;
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
