import { statfs } from "node:fs/promises";
import type { NoticeBoard } from "../core/events/notice.ts";

/** Milliseconds between looks. */
const LOOK_INTERVAL_MS = 15_000;

const MEGABYTE = 1_000_000;
/** Below this a notice is opened while there is still room for it; above the other it is settled. */
const ROOM = { low: 50 * MEGABYTE, enough: 100 * MEGABYTE } as const;

const KIND = "disk-full";

/** Options of {@link DiskRoom}. */
export interface DiskRoomOptions {
  /** A folder of the disk. */
  readonly folder: string;
  readonly notices: NoticeBoard;
  readonly failed: (error: unknown) => void;
  /** False: looks only when told. */
  readonly live: boolean;
  /** Bytes that may be written; tests give their own. */
  readonly free?: (folder: string) => Promise<number>;
}

/** Tells people that the disk is about to be full, before writes are refused. */
export class DiskRoom {
  readonly #options: DiskRoomOptions;
  readonly #timer: ReturnType<typeof setInterval> | null;
  #told: boolean | null = null;

  constructor(options: DiskRoomOptions) {
    this.#options = options;
    const look = (): void => void this.look();
    this.#timer = options.live ? setInterval(look, LOOK_INTERVAL_MS) : null;
    if (options.live) look();
  }

  /** Looks once. Never throws. */
  async look(): Promise<void> {
    const { folder, notices, free = freeBytes, failed } = this.#options;
    try {
      const bytes = await free(folder);
      if (bytes < ROOM.low && this.#told !== true) {
        this.#told = true;
        await notices.open(
          KIND,
          `The disk of ${folder} is ${bytes < MEGABYTE ? "full" : "nearly full"}: ` +
            `${Math.floor(bytes / MEGABYTE)} MB are left. What stands goes on, but changes are ` +
            "refused without room. Delete files there, or lower the size of the query log",
        );
      } else if (bytes >= ROOM.enough && this.#told !== false) {
        this.#told = false;
        await notices.settle(KIND);
      }
    } catch (error) {
      failed(error);
    }
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
