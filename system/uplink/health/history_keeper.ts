import { errorText } from "../../core/errors/error_text.ts";
import { isRecord } from "../../core/config/json.ts";
import type { AskTrafficStore } from "../../traffic/insights/insights.ts";
import { type HistoryKeeper, recordOf, rowsOf } from "./history_rows.ts";
import { readRecord } from "./history.ts";

/** What {@link storeKeeper} needs from outside. */
export interface StoreKeeperOptions {
  readonly ask: AskTrafficStore;
  /** The file in which earlier versions kept it: it is taken over once, and removed. */
  readonly oldFile: string;
  /** Called with what could not be taken over; it stays where it is. */
  readonly failed: (detail: string) => void;
}

/** Keeps the history of uplinks in the traffic store. It is read at once, while others start. */
export function storeKeeper({ ask, oldFile, failed }: StoreKeeperOptions): HistoryKeeper {
  const reading = read();
  // A failure is reported to those who await the promise; without them it is no unhandled rejection.
  reading.catch(() => {});
  return {
    read: () => reading,
    async write(rows) {
      await ask({ do: "writeUplinks", rows });
    },
  };

  async function read(): Promise<unknown> {
    const kept = recordOf(await ask({ do: "uplinks" }));
    if (kept !== null) return kept;
    const old = await readOldFile();
    if (old === null) return null;
    try {
      await ask({ do: "writeUplinks", rows: rowsOf(readRecord(old)) });
      await Deno.remove(oldFile);
    } catch (error) {
      failed(errorText(error));
    }
    return old;
  }

  /** What earlier versions kept; null where there is nothing that can be read. */
  async function readOldFile(): Promise<unknown> {
    try {
      const raw: unknown = JSON.parse(await Deno.readTextFile(oldFile));
      return isRecord(raw) ? raw : null;
    } catch {
      return null;
    }
  }
}
