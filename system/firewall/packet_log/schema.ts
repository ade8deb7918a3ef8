import * as z from "zod";

/** Which packets are reported as events. */
export const PacketLogSettings = z.object({
  Log: z.enum(["off", "drops", "all"], { error: "Choose off, drops or all" })
    .describe(
      "`drops`: packets that a rule blocks; `all`: the first packets of allowed connections as well",
    ),
}).meta({ id: "PacketLogSettings" });
export type PacketLogSettings = z.output<typeof PacketLogSettings>;

/** Nothing is logged: no rule, and no socket. */
export const NO_PACKET_LOG: PacketLogSettings = { Log: "off" };
