import type { Document } from "../../core/config/document.ts";
import { issueMessage } from "../../core/config/read_list.ts";
import { Problem } from "../../core/errors/problem.ts";
import { NO_PACKET_LOG, PacketLogSettings } from "./schema.ts";

/** Which packets are logged (`configs/base/packet_log.json`). */
export const packetLogDocument: Document<PacketLogSettings> = {
  path: "base/packet_log.json",
  topic: "packets",
  schema: PacketLogSettings,
  fallback: NO_PACKET_LOG,
  read(raw) {
    const parsed = PacketLogSettings.safeParse(raw);
    if (parsed.success) return { value: parsed.data, rejected: [] };
    throw new Problem(400, issueMessage(parsed.error));
  },
};
