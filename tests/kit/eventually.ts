import { HANGING } from "./pace.ts";

/** What a promise gives. Throws when it never settles, so that a test which hangs says where. */
export async function inTime<T>(what: string, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`It hangs: ${what}`)), HANGING);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** What work answers once it does not throw any more. Throws when it goes on throwing. */
export async function eventually<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  let last: unknown;
  const end = performance.now() + HANGING;
  while (performance.now() < end) {
    try {
      return await work();
    } catch (error) {
      last = error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
  throw new Error(`It did not come about: ${what}`, { cause: last });
}
