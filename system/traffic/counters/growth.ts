/** What a counter of the kernel holds. */
export interface Count {
  readonly packets: number;
  readonly bytes: number;
}

/**
 * What was counted between two looks at a counter. The kernel counts anew from zero where rules are
 * loaded again or an element expires: a counter that holds less than before has counted all it holds.
 */
export function growth(before: Count | undefined, now: Count): Count {
  const isAnew = before === undefined || now.packets < before.packets || now.bytes < before.bytes;
  return isAnew
    ? { packets: now.packets, bytes: now.bytes }
    : { packets: now.packets - before.packets, bytes: now.bytes - before.bytes };
}
