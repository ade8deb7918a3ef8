import * as z from "zod";
import { writeDurably } from "../config/files.ts";
import { TrustedClock } from "./trusted_clock.ts";
import { fileText } from "../config/json.ts";

/** Milliseconds between two writes of their own: what a crash loses of it counts as time without power. */
const WRITE_INTERVAL_MS = 3600_000;

const SavedTime = z.object({ unixMilliseconds: z.int().positive() });

/** What a trusted clock that outlasts restarts needs from outside. */
export interface ClockFileOptions {
  readonly path: string;
  /** Wall clock, unix milliseconds. */
  readonly wall: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly steady: () => number;
  /** Called with a write that failed; the next one tries again. */
  readonly failed: (error: unknown) => void;
  /** False: it is written at the end only. */
  readonly live: boolean;
}

/** A trusted clock that is written down, so that a start knows what time it was. */
export interface ClockFile {
  readonly clock: TrustedClock;
  /** Writes it now, so that no later start goes back behind this moment. Never throws. */
  save(): Promise<void>;
  /** Writes it a last time. */
  close(): Promise<void>;
}

/** Opens the clock; a file that is absent or broken counts as none, and the wall clock is believed. */
export async function openClockFile(options: ClockFileOptions): Promise<ClockFile> {
  const { path, failed } = options;
  const clock = new TrustedClock({ ...options, last: await readSavedTime(path) });
  const write = async (): Promise<void> => {
    const unixMilliseconds = Math.floor(clock.now());
    if (!clock.isProven) return;
    await writeDurably(path, fileText({ unixMilliseconds }), "clock").catch(failed);
  };
  let writing = Promise.resolve();
  // One after the other, so that an earlier time never replaces a later one.
  const save = (): Promise<void> => writing = writing.then(write);
  const timer = options.live ? setInterval(() => void save(), WRITE_INTERVAL_MS) : null;
  return {
    clock,
    save,
    async close() {
      if (timer !== null) clearInterval(timer);
      await save();
    },
  };
}

async function readSavedTime(path: string): Promise<number | null> {
  try {
    return SavedTime.parse(JSON.parse(await Deno.readTextFile(path))).unixMilliseconds;
  } catch {
    // None yet, or one that tells nothing.
    return null;
  }
}
