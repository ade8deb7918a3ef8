/**
 * How much longer things may take here: an emulated machine is that much slower (tests/kit/vm.ts).
 * Every bound on a wait is multiplied by it; no promise about speed is measured there.
 */
export const PACE = Deno.env.get("LABVM") === "1" ? 6 : 1;
