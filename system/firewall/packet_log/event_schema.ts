import * as z from "zod";
import { PacketHeaders } from "../../core/kernel/logged_packet.ts";

/** A packet of the log, under the names that existing clients read, with the rule that decided. */
export const PacketEvent = z.strictObject({
  Prefix: z.string(),
  Action: z.enum(["allowed", "blocked"]),
  Timestamp: z.iso.datetime(),
  InDev: z.string(),
  OutDev: z.string(),
  /** The rule in words, as an access test gives them. */
  Rule: z.string(),
  /** Names of both ends. */
  From: z.string(),
  To: z.string(),
  /** The device: the sender, else the destination. */
  Identity: z.string().optional(),
  /** Packets like it that are not reported. */
  More: z.int().optional(),
  /** Domains that were answered with the address within the last minutes. */
  RecentDomainSrc: z.string().optional(),
  RecentDomainDst: z.string().optional(),
  ...PacketHeaders.shape,
});
export type PacketEvent = z.output<typeof PacketEvent>;

/** Packets that came faster than they are reported. */
export const PacketsSkipped = z.strictObject({ count: z.int() });
