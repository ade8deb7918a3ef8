import type { CDPSession, Page } from "playwright";

/** How much slower than this machine the processor of the page is made. */
export const SLOW_DOWN = 4;
/** Milliseconds without work that takes longer than a frame, after which a page is at rest. */
const REST_MS = 1000;

/** What a page notes of itself, by the script of {@link slowDown}. */
interface Notes {
  /** When the awaited element was first in a picture; 0 while it was not. */
  shown: number;
  /** End of the last task of 50 ms or more. */
  busyUntil: number;
}

/** Slows the page's processor down; `mark` is the selector of what makes it usable. */
export async function slowDown(page: Page, mark: string): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOW_DOWN });
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.addInitScript((selector) => {
    const notes: Notes = { shown: 0, busyUntil: 0 };
    Object.assign(globalThis, { notes });
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) {
        notes.busyUntil = Math.max(notes.busyUntil, startTime + duration);
      }
    }).observe({ type: "longtask", buffered: true });
    const look = (): void => {
      if (document.querySelector(selector) === null) requestAnimationFrame(look);
      else setTimeout(() => notes.shown = performance.now());
    };
    requestAnimationFrame(look);
  }, mark);
  return session;
}

/**
 * Loads an address with an empty cache; milliseconds until the page can be used: what is awaited is in a
 * picture, and no task of 50 ms or more follows.
 */
export async function interactiveTime(page: Page, address: string): Promise<number> {
  await page.goto(address);
  const notes = await page.waitForFunction((rest) => {
    const { notes } = globalThis as unknown as { notes: Notes };
    const ready = Math.max(notes.shown, notes.busyUntil);
    return notes.shown > 0 && performance.now() - ready > rest ? { ...notes } : null;
  }, REST_MS).then((handle) => handle.jsonValue());
  return Math.max(notes!.shown, notes!.busyUntil);
}

/** How long an act took. */
export interface Answered {
  /** Milliseconds from the event to the picture after it. */
  readonly picture: number;
  /** Milliseconds of processor time of the page's main thread, until it was at rest. */
  readonly thread: number;
}

/** Does something by a real key or click and measures until the next picture. */
export async function answerTime(
  page: Page,
  session: CDPSession,
  event: "keydown" | "click",
  act: () => Promise<void>,
): Promise<Answered> {
  await page.evaluate((type) => {
    const taken = new Promise<number>((done) =>
      addEventListener(type, ({ timeStamp }) =>
        // In the frame after the one that shows the answer.
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - timeStamp))), {
        once: true,
        capture: true,
      })
    );
    Object.assign(globalThis, { taken });
  }, event);
  const before = await threadTime(session);
  await act();
  const picture = await page.evaluate(() => (globalThis as unknown as { taken: number }).taken);
  await page.waitForTimeout(REST_MS / 2);
  return { picture, thread: await threadTime(session) - before };
}

async function threadTime(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1000;
}
