import { signal } from "@preact/signals";

/** Milliseconds of a request from which a person sees that the router is at work. */
const SHOW_DELAY_MS = 2000;

/** How many requests that a person waits for take longer than a moment. */
export const slowRequests = signal(0);

/** Has the page show that the router is at work, once this takes longer than a moment. */
export async function shownWhenSlow<T>(work: Promise<T>): Promise<T> {
  let counted = false;
  const timer = setTimeout(() => {
    counted = true;
    slowRequests.value++;
  }, SHOW_DELAY_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    if (counted) slowRequests.value--;
  }
}
