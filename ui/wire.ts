import type { components } from "./generated/api.ts";

type Schemas = components["schemas"];

export type AccessChange = Schemas["AccessChange"];

export type Change = Schemas["ChangeSummary"];

export type ChangeDetail = Schemas["ChangeDetail"];

export type ConfirmWindow = NonNullable<Schemas["WindowState"]["window"]>;

export type Notice = Schemas["Notice"];

export type PackageList = Schemas["PackageList"];

export type PacketTrace = Schemas["PacketTrace"];

export type PatchEntry = Schemas["PatchEntry"];

export type Preview = Schemas["Preview"];

export type Refusal = Schemas["Refusal"];

/** A device as `GET /devices` answers it. */
export type Device = Omit<Schemas["Device"], "Policies"> & {
  /** Any words: a form holds what is typed into it. */
  readonly Policies: readonly string[];
};

/** Devices by identity. */
export type Devices = Readonly<Record<string, Device>>;

export type Group = Omit<Schemas["GroupView"], "ServiceDestinations">;

/** Times of the week. */
export type Schedule = Schemas["Schedule"];

export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** Next step of this browser, as `GET /auth/stage` answers it. */
export type StageAnswer = Schemas["Stage"];

export type ApiToken = Schemas["ApiToken"];

export type Role = Schemas["UserRole"];

export type User = Schemas["UserView"];

export type Session = Omit<Schemas["SessionView"], "expires" | "tls" | "passkey">;

export type Network =
  & Pick<Schemas["NetworkStatus"], "state" | "detail">
  & Partial<Pick<Schemas["NetworkStatus"], "drift" | "more" | "foreign">>;

export type OtpStatus = Schemas["OtpStatus"];
