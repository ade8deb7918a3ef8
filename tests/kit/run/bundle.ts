import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Set by a run of tests that has bundled the program before it starts them. */
export const BUNDLED_VARIABLE = "SLUICE_TESTS_BUNDLED";
let isBundled = Deno.env.get(BUNDLED_VARIABLE) !== undefined;

/** Flags of V8 that `deno task start` starts the launcher with. */
export const LAUNCHER_FLAGS = "--v8-flags=--expose-gc,--max-semi-space-size=1";
/**
 * The same for an emulated machine, where memory is not measured: collecting the garbage of a start
 * would be a fifth of the processor time that the start takes.
 */
export const EMULATED_LAUNCHER_FLAGS = "--v8-flags=--max-semi-space-size=1";

/** The launcher's bundle, as `deno task start` runs it; bundles the program if its sources changed. */
export function launcherBundle(): string {
  if (!isBundled) {
    const { success, stderr } = new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "-A", join(ROOT, "build.ts")],
      stdout: "null",
    }).outputSync();
    if (!success) throw new Error(`No bundle: ${new TextDecoder().decode(stderr)}`);
    isBundled = true;
  }
  return join(ROOT, "dist/launcher.js");
}
