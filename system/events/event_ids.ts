import type { Bus } from "../core/events/bus.ts";
import { writeDurably } from "../core/config/files.ts";

/** Ids that are reserved at a time: a start goes on above all of them. */
const BLOCK = 1_000_000;

/** Keeps the ids of events increasing across restarts, kills and clocks that go back. */
export interface EventIds {
  /** The first event gets the id after this one. */
  readonly first: number;
  /** Reserves further ids as the bus uses them up. Returns how to stop, which waits for the disk. */
  follow(bus: Pick<Bus, "setMilestone">): () => Promise<void>;
}

/**
 * Reads from a file which ids were reserved, and reserves the next ones. Without the file the clock
 * tells: its microseconds are more than one id each.
 */
export async function openEventIds(
  path: string,
  { now, failed }: { readonly now: () => number; readonly failed: (error: unknown) => void },
): Promise<EventIds> {
  const known = Number(await Deno.readTextFile(path).catch(() => ""));
  const first = Math.max(Number.isSafeInteger(known) ? known : 0, Math.floor(now() * 1000));
  let reserved = first;
  const reserve = async (): Promise<void> => {
    const next = reserved + BLOCK;
    await writeDurably(path, `${next}\n`, "next");
    reserved = next;
  };
  // A full disk keeps nothing from starting: the clock tells the next time.
  await reserve().catch(failed);
  return {
    first,
    follow(bus) {
      let isEnded = false;
      let writing = Promise.resolve();
      const wait = (): void => {
        if (isEnded) return;
        // After a failure that is the next event.
        bus.setMilestone({
          id: reserved - BLOCK / 2,
          reached: () => void (writing = reserve().catch(failed).finally(wait)),
        });
      };
      wait();
      return async () => {
        isEnded = true;
        bus.setMilestone(null);
        await writing;
      };
    },
  };
}
