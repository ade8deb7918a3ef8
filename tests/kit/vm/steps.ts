import { HANGING } from "../pace.ts";

/** A step waits for several things, each of which may take nearly as long as what hangs. */
const STEP_TIMEOUT_MS = 3 * HANGING;

/** Runs a step of a test; rejects when it fails. */
export type Step = (name: string, work: () => Promise<void>) => Promise<void>;

/**
 * Steps of a test that build on each other: the first that fails ends the test. One that hangs fails by
 * a limit of its own, so that the report says which, and the machine is there for the tests after it.
 */
export function stepsOf(t: Deno.TestContext): Step {
  return async (name, work) => {
    const limited = async (): Promise<void> => {
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => late.reject(new Error(`It did not end within ${STEP_TIMEOUT_MS / 1000} seconds`)),
        STEP_TIMEOUT_MS,
      );
      await Promise.race([work(), late.promise]).finally(() => clearTimeout(timer));
    };
    if (!await t.step(name, limited)) throw new Error(`It ended at: ${name}`);
  };
}
