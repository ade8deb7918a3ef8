/**
 * How much longer things may take here: an emulated machine is that much slower (tests/kit/vm/vm.ts).
 * Every bound on a wait is multiplied by it; no promise about speed is measured there.
 */
export const PACE = Deno.env.get("LABVM") === "1" ? 6 : 1;

/**
 * Seconds for which silence is listened to, of those that do on an idle machine: more the more programs
 * want their turn at this moment, of which {@link PACE} is a part already.
 */
export function patience(seconds: number): number {
  const [average = "", , , now = ""] = Deno.readTextFileSync("/proc/loadavg").split(" ");
  const wanting = Math.max(Number(average), Number(now.split("/")[0]));
  const pressure = Math.floor(wanting / navigator.hardwareConcurrency);
  return seconds * Math.max(PACE, Math.min(3, pressure));
}

/**
 * Milliseconds after which what did not come about is taken for hanging. Nothing is said by it of how
 * soon it should: machines that test are slow, busy, or stand still for seconds.
 */
export const HANGING = PACE === 1 ? 60_000 : 180_000;
