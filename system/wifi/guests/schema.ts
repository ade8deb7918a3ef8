import * as z from "zod";
import { InterfaceName } from "../../core/net/grammar.ts";
import { MASK } from "../../devices/schema.ts";
import { SharedPassword } from "../extra_bss_schema.ts";
import { SsidText } from "../radio/settings_schema.ts";

/** Radios that have the guest network, and its end (`configs/wifi/guests.json`). */
export const GuestNetwork = z.object({
  /** Empty: there is none. */
  Radios: z.array(InterfaceName).max(64),
  /** Unix seconds; 0 without an end. */
  Until: z.int().min(0),
});
export type GuestNetwork = z.output<typeof GuestNetwork>;

/** There is none. */
export const NO_GUESTS: GuestNetwork = { Radios: [], Until: 0 };

const Until = z.int().min(0, { error: "Use unix seconds, or 0 for no end" });

/** Body of `PUT /wifi/guests`. */
export const GuestRequest = z.object({
  Name: SsidText,
  /** `shared`: one password for all; `guest`: each guest has its own. */
  Passwords: z.enum(["shared", "guest"]).default("shared"),
  /** Of all guests; "" generates one, and the mask leaves it. */
  Password: z.union([SharedPassword, z.literal(["", MASK])]).default(""),
  Until: Until.default(0),
  /** Radios that are to have it; empty: all that are on and have room. */
  Radios: z.array(InterfaceName).max(64).default([]),
}).meta({ id: "GuestRequest" });
export type GuestRequest = z.output<typeof GuestRequest>;

/** Body of `PUT /wifi/guests/pass`. */
export const GuestPassRequest = z.object({
  /** Of the guest. */
  Name: z.string().trim().min(1, { error: "Use a name for the guest" }).max(64)
    .refine((text) => !/\p{Cc}/u.test(text) && text.isWellFormed(), {
      error: "Use a name without line breaks and the like",
    }),
  Until: Until.default(0),
}).meta({ id: "GuestPassRequest" });
export type GuestPassRequest = z.output<typeof GuestPassRequest>;

/** A password that was made for one guest; shown once. */
export const GuestPass = z.object({
  Identity: z.string(),
  Name: z.string(),
  Password: z.string(),
  Until: z.int(),
}).meta({ id: "GuestPass" });

/** The guest network as it stands (`GET /wifi/guests`). */
export const GuestStatus = z.object({
  Enabled: z.boolean(),
  /** "" while there is none. */
  Name: z.string(),
  Passwords: z.enum(["shared", "guest"]),
  /** Masked; "" none. */
  Password: z.string(),
  Until: z.int(),
  /** Radios that have it. */
  Radios: z.array(z.string()),
  /** The networks there: `wlan0.ap0`. */
  Networks: z.array(z.string()),
  /** Radios that could have it as well. */
  Free: z.array(z.string()),
  /** Guests that have been there, or whose password waits, by identity. */
  Guests: z.array(z.object({
    Identity: z.string(),
    Name: z.string(),
    /** Unix seconds; 0 never. */
    Until: z.int(),
    /** Its password waits for it. */
    Waiting: z.boolean(),
  })),
}).meta({ id: "GuestStatus" });
export type GuestStatus = z.output<typeof GuestStatus>;
