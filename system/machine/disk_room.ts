import { statfs } from "node:fs/promises";
import type { NoticeBoard } from "../core/events/notice.ts";

/** Milliseconds between looks. */
const LOOK_INTERVAL_MS = 15_000;

const MEGABYTE = 1_000_000;
/**
 * Below the first a notice is opened while there is still room for it, above the second it is settled.
 * On a small disk a tenth and a fifth of it.
 */
const ROOM = { low: 50 * MEGABYTE, enough: 100 * MEGABYTE } as const;
const SHARE = { low: 0.1, enough: 0.2 } as const;
/** Files that a change and what follows it need. */
const MIN_FILES = 100;

const KIND = "disk-full";

/** What is left on a disk. */
export interface DiskSpace {
  /** Bytes that may be written, and bytes of the disk. */
  readonly free: number;
  readonly size: number;
  /** Files that may be created; null where the file system has no such limit. */
  readonly files: number | null;
}

/** Options of {@link DiskRoom}. */
export interface DiskRoomOptions {
  /** A folder of the disk. */
  readonly folder: string;
  readonly notices: NoticeBoard;
  readonly failed: (error: unknown) => void;
  /** False: looks only when it is called. */
  readonly live: boolean;
  /** Tests give their own. */
  readonly space?: (folder: string) => Promise<DiskSpace>;
}

/** Tells people that the disk is about to be full, before writes are refused, or that it is. */
export class DiskRoom {
  readonly #options: DiskRoomOptions;
  readonly #timer: ReturnType<typeof setInterval> | null;
  #state: "enough" | "low" | "full" | null = null;

  constructor(options: DiskRoomOptions) {
    this.#options = options;
    const look = (): void => void this.look();
    this.#timer = options.live ? setInterval(look, LOOK_INTERVAL_MS) : null;
    if (options.live) look();
  }

  /** Looks once. Never throws. */
  async look(): Promise<void> {
    const { folder, notices, space = spaceOf, failed } = this.#options;
    try {
      const left = await space(folder);
      const low = Math.min(ROOM.low, left.size * SHARE.low);
      const enough = Math.min(ROOM.enough, left.size * SHARE.enough);
      const isOut = left.files !== null && left.files < MIN_FILES;
      if (left.free < MEGABYTE || isOut) {
        const what = isOut ? "can hold no more files" : "is full";
        await this.#open("full", `${what}: changes are refused until there is room`);
      } else if (left.free < low) {
        const room = `${Math.floor(left.free / MEGABYTE)} MB are left`;
        await this.#open("low", `is nearly full: ${room}. When it is full, changes are refused`);
      } else if (left.free >= enough && this.#state !== "enough") {
        this.#state = "enough";
        await notices.settle(KIND);
      }
    } catch (error) {
      failed(error);
    }
  }

  async #open(state: "low" | "full", what: string): Promise<void> {
    if (this.#state === state) return;
    this.#state = state;
    const { folder, notices } = this.#options;
    await notices.open(
      KIND,
      `The disk of ${folder} ${what}. Traffic, addresses and names go on. Delete files there, old ` +
        "backups first, or reduce the size of the query log in the DNS settings",
    );
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }
}

/** Room on the disk of a folder. */
export async function spaceOf(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize, files, ffree } = await statfs(folder);
  // Btrfs and others count no files.
  return { free: bavail * bsize, size: blocks * bsize, files: files === 0 ? null : ffree };
}
