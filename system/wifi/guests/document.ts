import type { Document } from "../../core/config/document.ts";
import { Problem } from "../../core/errors/problem.ts";
import { GuestNetwork, NO_GUESTS } from "./schema.ts";

/** Which additional networks are for guests, and until when (`configs/wifi/guests.json`). */
export const guestsDocument: Document<GuestNetwork> = {
  path: "wifi/guests.json",
  topic: "guests",
  schema: GuestNetwork,
  fallback: NO_GUESTS,
  read(raw) {
    const parsed = GuestNetwork.safeParse(raw);
    if (parsed.success) return { value: parsed.data, rejected: [] };
    throw new Problem(400, "The guest network is {Radios: [...], Until: unix seconds}");
  },
};
