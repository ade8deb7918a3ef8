import { HANGING } from "./pace.ts";

/** What work answers once it does not throw any more. Throws when it goes on throwing. */
export async function eventually<T>(what: string, work: () => Promise<T>): Promise<T> {
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
