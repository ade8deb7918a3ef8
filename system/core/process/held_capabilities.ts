/** Numbers of the capabilities that descriptors name (linux/capability.h). */
const NUMBERS: Readonly<Record<string, number>> = {
  CAP_CHOWN: 0,
  CAP_DAC_OVERRIDE: 1,
  CAP_FOWNER: 3,
  CAP_FSETID: 4,
  CAP_KILL: 5,
  CAP_SETGID: 6,
  CAP_SETUID: 7,
  CAP_NET_BIND_SERVICE: 10,
  CAP_NET_ADMIN: 12,
  CAP_NET_RAW: 13,
  CAP_SYS_CHROOT: 18,
  CAP_SYS_TIME: 25,
  CAP_MKNOD: 27,
  CAP_SETFCAP: 31,
};

/**
 * Tells which capabilities a process has to hand on, by its `/proc/self/status`: a container may leave
 * out some. What the file does not tell counts as held.
 */
export function heldCapabilities(status: string): (name: string) => boolean {
  const mask = /^CapPrm:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  if (mask === undefined) return () => true;
  const held = BigInt(`0x${mask}`);
  return (name) => {
    const number = NUMBERS[name];
    return number === undefined || (held >> BigInt(number) & 1n) === 1n;
  };
}
