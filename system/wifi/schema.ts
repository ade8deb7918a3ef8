import * as z from "zod";
import { InterfaceName, Ip } from "../core/net/grammar.ts";
import { canonicalIdentity } from "../devices/identity.ts";
import { orBlank, UnicastMac } from "../devices/schema.ts";

const Status = z.string().max(128).default("");
/** Address of the mesh node that reports; "" for our own radios. */
const Router = orBlank(Ip).default("");

/** A word in any spelling that callers use, and the meaning that it has. */
function word(meanings: Readonly<Record<string, string>>, error: string): z.ZodType<string> {
  return z.string().refine((text) => Object.hasOwn(meanings, text), { error })
    .meta({ enum: Object.keys(meanings) });
}

/** Longer than any router runs; hostapd counts seconds in 32 bits. */
const MAX_SECONDS = 2 ** 32;

const CONNECT = { "AP-STA-CONNECTED": "connect", "connect": "connect" };
const DISCONNECT = { "AP-STA-DISCONNECTED": "disconnect", "disconnect": "disconnect" };

/** A station signed in (`PUT /reportPSKAuthSuccess`). */
export const StationSuccess = z.object({
  Iface: InterfaceName,
  Event: word(CONNECT, "Event is AP-STA-CONNECTED or connect"),
  MAC: UnicastMac,
  Status,
  Router,
  /** Which waiting password it used, `pending-2`, where the radio can tell. */
  KeyId: z.string().max(64).transform((text) => canonicalIdentity(text) ?? "").optional(),
  /**
   * For how many seconds it has been there: a report that comes late, or once more, tells nothing of a station
   * that has roamed since.
   */
  Seconds: z.int().min(0).max(MAX_SECONDS).default(0),
}).meta({ id: "StationSuccess" });
export type StationSuccess = z.output<typeof StationSuccess>;

/** A station joined another router (`PUT /plugins/mesh/stationRoamed`). */
export const StationRoamed = z.object({
  MAC: UnicastMac,
  /** For how many seconds it has been there. */
  Seconds: z.int().min(0).max(MAX_SECONDS),
}).meta({ id: "StationRoamed" });

/** A station gave a password that is not its own (`PUT /reportPSKAuthFailure`). */
export const StationFailure = z.object({
  Iface: orBlank(InterfaceName).default(""),
  /** What failed, in the reporter's words: `sae`, `wpa`, `connection_failure`, …. */
  Type: z.string().trim().min(1, { error: "Write what failed, such as sae" }).max(64),
  MAC: UnicastMac,
  /** Why, in the reporter's words: `noentry`, `mismatch`, or a sentence. */
  Reason: z.string().max(1024).default(""),
  Status,
  Router,
}).meta({ id: "StationFailure" });
export type StationFailure = z.output<typeof StationFailure>;

/** A station left (`PUT /reportDisconnect`). */
export const StationDisconnect = z.object({
  Iface: InterfaceName,
  Event: word(DISCONNECT, "Event is AP-STA-DISCONNECTED or disconnect"),
  MAC: UnicastMac,
  Status,
  Router,
}).meta({ id: "StationDisconnect" });
export type StationDisconnect = z.output<typeof StationDisconnect>;

/** The answers: what was reported, with what came of it in `Status`. */
export const StationEcho = z.object({
  Iface: z.string(),
  Event: z.string(),
  MAC: z.string(),
  Status: z.string(),
  Router: z.string(),
}).meta({ id: "StationEcho" });

export const FailureEcho = z.object({
  Iface: z.string(),
  Type: z.string(),
  MAC: z.string(),
  Reason: z.string(),
  Status: z.string(),
  Router: z.string(),
}).meta({ id: "FailureEcho" });
