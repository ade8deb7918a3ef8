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

/**
 * Seconds that the processors have worked for the children of a process that have ended, and theirs, by
 * its /proc/self/stat (proc_pid_stat(5)). Null where the text is another.
 */
export function endedChildrenSeconds(stat: string): number | null {
  // The name of the program may hold spaces and brackets.
  const fields = /^\d+ \(.*\) (.*)$/s.exec(stat.trim())?.[1]?.split(" ");
  const [user, system] = [fields?.[13], fields?.[14]].map(Number);
  const sum = (user! + system!) / TICKS_PER_SECOND;
  return Number.isFinite(sum) ? sum : null;
}
