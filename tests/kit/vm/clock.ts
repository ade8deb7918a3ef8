const RTC = "/sys/class/rtc/rtc0/since_epoch";
/** Of the ratio of the kernel's clock to the clock of the emulator, away from 1. */
const MAX_ERROR = 0.1;
/** Seconds between two readings, so that a reading that comes late does not matter. */
const MIN_SECONDS = 5;

/**
 * Parameters by which the kernel may keep the time, to be tried in this order; the next where the
 * clock runs wrongly. The emulated cycle counter is the one of the machine outside. Measured inside
 * while that machine is busy, its frequency can be far off, and the clock then runs many times too
 * fast; so it comes from outside, where the frequency is known. The timer of the emulator, which is
 * always right, halves the speed of the machine.
 */
export function clockParameters(cpuinfo: string): readonly string[] {
  // Where the frequency changes, this can be another one than the counter's.
  const mhz = Number(/^cpu MHz\s*:\s*([\d.]+)$/m.exec(cpuinfo)?.[1] ?? 0);
  const known = mhz > 0 ? [`tsc=reliable tsc_early_khz=${Math.round(mhz * 1000)}`] : [];
  return [...known, "tsc=reliable", "tsc=unstable"];
}

/** How a boot of the machine ended that never began with the command. */
export type FailedBoot = "wrong clock" | "not up";

/** How the machine is booted. */
export interface Boot {
  /** Of {@link clockParameters}. */
  readonly clock: string;
  /** No other clock is left, so that this one is used however it runs. */
  readonly isLast: boolean;
}

/** Boots with one clock that do not come up, as happens now and then on a busy machine. */
const MAX_NOT_UP = 2;

/**
 * How to boot after the boots that failed, the first of them first; null when nothing is left to try.
 * A clock that ran wrongly does so again, so the next one follows; a machine that did not come up is
 * booted again with the same one first, since each next clock is worse.
 */
export function nextBoot(clocks: readonly string[], failed: readonly FailedBoot[]): Boot | null {
  let at = 0, notUp = 0;
  for (const end of failed) {
    notUp = end === "not up" ? notUp + 1 : 0;
    if (end === "wrong clock" || notUp === MAX_NOT_UP) {
      at++;
      notUp = 0;
    }
  }
  const clock = clocks[at];
  return clock === undefined ? null : { clock, isLast: at === clocks.length - 1 };
}

/**
 * Reads both clocks when a second of the emulator's begins: as `<variable>_RTC` and
 * `<variable>_UPTIME`.
 */
export function readClocks(variable: string): readonly string[] {
  return [
    `read at <${RTC}`,
    `until read now <${RTC} && [ "$now" != "$at" ]; do :; done`,
    "read up rest </proc/uptime",
    `export ${variable}_RTC=$now ${variable}_UPTIME=$up`,
  ];
}

/**
 * Ends the machine where its clock did not run right since {@link readClocks} for `BOOT`; how many
 * times as fast it ran is then in `file`.
 */
export function checkClock(file: string): readonly string[] {
  return [
    `until read now <${RTC} && [ $((now - BOOT_RTC)) -ge ${MIN_SECONDS} ]; do sleep 0.1; done`,
    ...readClocks("NOW"),
    'ratio=$(/run/busybox awk \'BEGIN { print (ENVIRON["NOW_UPTIME"] - ENVIRON["BOOT_UPTIME"]) / ' +
    '(ENVIRON["NOW_RTC"] - ENVIRON["BOOT_RTC"]) }\')',
    `/run/busybox awk "BEGIN { exit !($ratio > ${1 - MAX_ERROR} && $ratio < ${1 + MAX_ERROR}) }" ` +
    `|| { echo "$ratio" >${file}; sync; /run/busybox reboot -f; }`,
  ];
}
