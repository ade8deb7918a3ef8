import * as z from "zod";
import { MAX_COUNTED } from "../store/messages.ts";

/** How sending the history to its server stands. */
export const HistoryServerState = z.object({
  host: z.string().describe("Of the server; empty where the history is sent to none"),
  waiting: z.int().describe(
    `Events, changed ones and deletions that wait; ${MAX_COUNTED}: that many or more`,
  ),
  oldestAt: z.int().describe("Unix milliseconds of the oldest event that waits; 0 for none"),
  sentAt: z.int().describe("Unix milliseconds when the server last had everything; 0 before"),
  failedAt: z.int().describe("Unix milliseconds of the last failure; 0 before"),
  problem: z.string().describe("What went wrong the last time; empty while it works"),
}).meta({ id: "HistoryServerState" });
export type HistoryServerState = z.output<typeof HistoryServerState>;
