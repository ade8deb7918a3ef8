import { AF_INET, SOCK_CLOEXEC, SOCK_DGRAM } from "./abi.ts";
import { cText, openLibc } from "./libc.ts";

/** Of linux/sockios.h. */
const SIOCGIFMTU = 0x8921, SIOCGIFHWADDR = 0x8927;
/** struct ifreq of netdevice(7): a name of 16 bytes, then the value. */
const REQUEST = 40, VALUE = 16;

const SYMBOLS = {
  if_nametoindex: { parameters: ["buffer"], result: "u32" },
  if_indextoname: { parameters: ["u32", "buffer"], result: "pointer" },
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  ioctl: { parameters: ["i32", "u64", "buffer"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
} as const;

/** MTU and MAC address of an interface. */
export interface InterfaceFacts {
  /** Largest IPv4 packet, in bytes. */
  readonly mtu: number;
  /** Its MAC address, lower case, joined by colons. */
  readonly mac: string;
}

let library: Deno.DynamicLibrary<typeof SYMBOLS> | undefined;

function libc(): Deno.DynamicLibrary<typeof SYMBOLS>["symbols"] {
  return (library ??= openLibc(SYMBOLS)).symbols;
}

/** The kernel's index of an interface; 0 for a missing one. An interface that is recreated has another index. */
export function interfaceIndex(link: string): number {
  return libc().if_nametoindex(cText(link));
}

/** The name of the interface with this index; null for a missing one. */
export function interfaceName(index: number): string | null {
  const name = new Uint8Array(VALUE);
  if (libc().if_indextoname(index, name) === null) return null;
  return new TextDecoder().decode(name.subarray(0, name.indexOf(0)));
}

/** MTU and MAC address of an interface (netdevice(7)); null for a missing one. */
export function interfaceFacts(link: string): InterfaceFacts | null {
  const { socket, ioctl, close } = libc();
  const descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return null;
  try {
    const request = (code: number): Uint8Array | null => {
      const bytes = new Uint8Array(REQUEST);
      bytes.set(cText(link).subarray(0, VALUE - 1));
      return ioctl(descriptor, BigInt(code), bytes) === 0 ? bytes.subarray(VALUE) : null;
    };
    const mtu = request(SIOCGIFMTU), hardware = request(SIOCGIFHWADDR);
    if (mtu === null || hardware === null) return null;
    return {
      mtu: new DataView(mtu.buffer, mtu.byteOffset).getInt32(0, true),
      // struct sockaddr: the family comes before the address.
      mac: Array.from(hardware.subarray(2, 8), (byte) => byte.toString(16).padStart(2, "0")).join(
        ":",
      ),
    };
  } finally {
    close(descriptor);
  }
}
