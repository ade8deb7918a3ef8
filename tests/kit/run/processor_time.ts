/** Of /proc/stat: parts of a second, the same on every Linux. */
const TICKS_PER_SECOND = 100;

/**
 * Seconds that the machine's processors have worked since it started, added up, by its /proc/stat
 * (proc(5)): all but idling and waiting for a disk. Null where the text is another.
 */
export function busySeconds(stat: string): number | null {
  const line = /^cpu +(\d+(?: \d+)+)$/m.exec(stat)?.[1];
  if (line === undefined) return null;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line.split(" ").map(Number);
  return (user + nice + system + irq + softirq) / TICKS_PER_SECOND;
}
