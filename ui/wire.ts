import type { components } from "./generated/api.ts";

type Schemas = components["schemas"];

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
export type Device = Omit<Schemas["Device"], "Policies"> & {
  /** Any words: a form holds what is typed into it. */
  readonly Policies: readonly string[];
};

/** Devices by identity. */
export type Devices = Readonly<Record<string, Device>>;

export type Group = Pick<Schemas["Group"], "Name" | "Disabled" | "GroupTags">;

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

export type Session = Omit<Schemas["SessionView"], "expires" | "tls" | "passkey">;

export type Network =
  & Pick<Schemas["NetworkStatus"], "state" | "detail">
  & Partial<Pick<Schemas["NetworkStatus"], "drift" | "more" | "foreign">>;

export type OtpStatus = Schemas["OtpStatus"];
