import { Problem } from "../../core/errors/problem.ts";
import { cText, openLibc } from "./libc.ts";
import {
  AF_INET,
  EFD_CLOEXEC,
  EFD_NONBLOCK,
  MSG_DONTWAIT,
  POLLIN,
  SO_ATTACH_FILTER,
  SO_BINDTODEVICE,
  SO_BROADCAST,
  SO_REUSEADDR,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  SOCKADDR_IN_SIZE,
  SOL_SOCKET,
} from "./abi.ts";
import { ipv4Address } from "./socket_address.ts";
import { interfaceIndex } from "./interface_facts.ts";
import { type FilterStep, socketFilter } from "./socket_filter.ts";

const MAX_DATAGRAM_BYTES = 2048;
/** The set of interfaces may change between polls. */
const POLL_TIMEOUT_MS = 100;
/** Datagrams read from one interface before the next one is served. */
const MAX_READS = 64;

const SYMBOLS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  poll: { parameters: ["buffer", "usize", "i32"], result: "i32", nonblocking: true },
  recv: { parameters: ["i32", "buffer", "usize", "i32"], result: "isize" },
  eventfd: { parameters: ["u32", "i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
} as const;

const ONE = new Uint8Array(new BigUint64Array([1n]).buffer);

/** A received DHCP message. */
export interface InterfaceDatagram {
  readonly link: string;
  readonly bytes: Uint8Array;
  /** It names another MAC address than it came from: the bytes end before the options. */
  readonly foreign: boolean;
}

interface Open {
  readonly descriptor: number;
  readonly index: number;
}

/**
 * One UDP socket for each interface, all on one port, bound with SO_BINDTODEVICE (socket(7)), so that
 * it never receives what arrives elsewhere, and with the filter of senders. One thread polls all of them.
 */
export class InterfaceSockets {
  readonly #library = openLibc(SYMBOLS);
  readonly #port: number;
  readonly #open = new Map<string, Open>();
  /** Sockets that only gather until their interface is opened. */
  readonly #prepared = new Map<string, Open>();
  /** Ends a poll, whose set is another by then. */
  readonly #waker: number;
  readonly #filter = socketFilter(DHCP_SENDER_FILTER);

  constructor(port: number) {
    this.#port = port;
    this.#waker = this.#library.symbols.eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  }

  /**
   * Gathers what arrives on an interface, for when it is opened: a client that speaks there first does not speak
   * to nobody. Throws Problem as {@link open} does.
   */
  prepare(link: string): void {
    if (this.isPresent(link) || this.#isGathering(link)) return;
    this.#end(this.#prepared, link);
    this.#prepared.set(link, this.#listen(link));
  }

  /** Listens on an interface. Throws Problem 502 when the kernel refuses, or it is missing. */
  open(link: string): void {
    this.#end(this.#open, link);
    const early = this.#isGathering(link) ? this.#prepared.get(link) : undefined;
    if (early === undefined) this.#end(this.#prepared, link);
    else this.#prepared.delete(link);
    this.#open.set(link, early ?? this.#listen(link));
    this.#library.symbols.write(this.#waker, ONE, 8n);
  }

  /** Ends what gathers for interfaces that are gone, or that are not to be served any more. */
  keepPrepared(isWanted: (link: string) => boolean): void {
    for (const link of [...this.#prepared.keys()]) {
      if (!isWanted(link) || !this.#isGathering(link)) this.#end(this.#prepared, link);
    }
  }

  #isGathering(link: string): boolean {
    const prepared = this.#prepared.get(link);
    return prepared !== undefined && prepared.index === interfaceIndex(link);
  }

  #listen(link: string): Open {
    const { symbols } = this.#library;
    const index = interfaceIndex(link);
    const descriptor = index === 0 ? -1 : symbols.socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const refused = (): Problem =>
      new Problem(502, `The kernel refused UDP port ${this.#port} on ${link}`);
    if (descriptor < 0) throw refused();
    const set = (option: number, value: Uint8Array<ArrayBuffer>): boolean =>
      symbols.setsockopt(descriptor, SOL_SOCKET, option, value, value.length) === 0;
    const one = new Uint8Array(new Int32Array([1]).buffer);
    const { fprog } = this.#filter;
    const ready = set(SO_REUSEADDR, one) && set(SO_BROADCAST, one) &&
      set(SO_BINDTODEVICE, cText(link)) && set(SO_ATTACH_FILTER, fprog) &&
      symbols.bind(descriptor, ipv4Address(0, this.#port), SOCKADDR_IN_SIZE) === 0;
    if (!ready) {
      symbols.close(descriptor);
      throw refused();
    }
    return { descriptor, index };
  }

  /** Stops listening on an interface. */
  close(link: string): void {
    this.#end(this.#open, link);
    this.#end(this.#prepared, link);
  }

  #end(sockets: Map<string, Open>, link: string): void {
    const found = sockets.get(link);
    if (found === undefined) return;
    this.#library.symbols.close(found.descriptor);
    sockets.delete(link);
  }

  /**
   * True while the opened interface exists. The kernel does not report its removal, and the socket
   * receives nothing from a later interface of the same name.
   */
  isPresent(link: string): boolean {
    const open = this.#open.get(link);
    return open !== undefined && open.index === interfaceIndex(link);
  }

  /** Waits up to 100 ms, and returns what has arrived. */
  async receive(): Promise<readonly InterfaceDatagram[]> {
    const sockets = [...this.#open];
    // struct pollfd
    const descriptors = [...sockets.map(([, { descriptor }]) => descriptor), this.#waker];
    const list = new Uint8Array(8 * descriptors.length);
    const view = new DataView(list.buffer);
    descriptors.forEach((descriptor, at) => {
      view.setInt32(8 * at, descriptor, true);
      view.setInt16(8 * at + 4, POLLIN, true);
    });
    const { poll, read } = this.#library.symbols;
    await poll(list, BigInt(descriptors.length), POLL_TIMEOUT_MS);
    read(this.#waker, new Uint8Array(8), 8n);
    return sockets.flatMap(([link, socket], at) =>
      // A descriptor that was closed meanwhile may have been reused.
      view.getInt16(8 * at + 6, true) !== 0 && this.#open.get(link) === socket
        ? this.#read(link, socket.descriptor)
        : []
    );
  }

  /** Closes every socket. Must not be called during a receive. */
  closeAll(): void {
    for (const link of [...this.#open.keys(), ...this.#prepared.keys()]) this.close(link);
    this.#library.symbols.close(this.#waker);
    this.#library.close();
  }

  #read(link: string, descriptor: number): InterfaceDatagram[] {
    const { symbols } = this.#library;
    const read: InterfaceDatagram[] = [];
    while (read.length < MAX_READS) {
      const bytes = new Uint8Array(MAX_DATAGRAM_BYTES);
      const length = Number(
        symbols.recv(descriptor, bytes, BigInt(MAX_DATAGRAM_BYTES), MSG_DONTWAIT),
      );
      if (length < 0) break;
      read.push({ link, bytes: bytes.subarray(0, length), foreign: length === FOREIGN_LENGTH });
    }
    return read;
  }
}

/** Where a DHCP message (RFC 2131 2) has its fields, and how long it is without options. */
const GIADDR = 24, CHADDR = 28, CHADDR_END = 34, HEADER = 240;
/** Length of a UDP header, which comes before the message. */
const UDP_HEADER = 8;
/** Where linux/filter.h has the Ethernet header, and the source in it. */
const ETHERNET_SOURCE = 0x1_0000_0000 - 0x200000 + 6;
const EVERYTHING = 0xffff;

/** Bytes that are left of a message in the name of another MAC address than it came from. */
const FOREIGN_LENGTH = CHADDR_END;

/**
 * Passes whole what a client sent itself, and what a relay did. Of a message in the name of another MAC
 * address it leaves only what comes before the options, so that nobody can obey it and it is seen all
 * the same; of what is too short for a message, one byte. The kernel compares, since a UDP socket
 * tells nobody where a frame came from.
 */
const DHCP_SENDER_FILTER: readonly FilterStep[] = [
  [0x80, 0, 0, 0], // the datagram's length
  [0x35, 0, 12, UDP_HEADER + HEADER],
  [0x20, 0, 0, UDP_HEADER + GIADDR],
  [0x15, 0, 8, 0],
  [0x20, 0, 0, ETHERNET_SOURCE], // four bytes of both addresses
  [0x07, 0, 0, 0],
  [0x20, 0, 0, UDP_HEADER + CHADDR],
  [0x1d, 0, 5, 0],
  [0x28, 0, 0, ETHERNET_SOURCE + 4], // the other two
  [0x07, 0, 0, 0],
  [0x28, 0, 0, UDP_HEADER + CHADDR + 4],
  [0x1d, 0, 1, 0],
  [0x06, 0, 0, EVERYTHING],
  [0x06, 0, 0, UDP_HEADER + FOREIGN_LENGTH],
  [0x06, 0, 0, UDP_HEADER + 1],
];
