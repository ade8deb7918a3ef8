/** Numbers of DNS (IANA "Domain Name System Parameters"; RFC 1035 unless noted). */

/** Record types that the resolver handles itself. */
export const TYPE = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  HINFO: 13,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  DNAME: 39, // RFC 6672
  OPT: 41, // RFC 6891
  DS: 43,
  DNSKEY: 48,
  SVCB: 64, // RFC 9460
  HTTPS: 65,
  TKEY: 249,
  TSIG: 250,
  IXFR: 251,
  AXFR: 252,
  MAILB: 253,
  MAILA: 254,
  ANY: 255,
} as const;

/** Classes. */
export const CLASS = { IN: 1, CH: 3, NONE: 254, ANY: 255 } as const;

/** Response codes; those over 15 need EDNS (RFC 6891 9). */
export const RCODE = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  BADVERS: 16,
} as const;

/** Bits of the second 16-bit word of a header (RFC 1035 4.1.1; AD, CD: RFC 4035). */
export const FLAG = {
  QR: 0x8000,
  AA: 0x0400,
  TC: 0x0200,
  RD: 0x0100,
  RA: 0x0080,
  AD: 0x0020,
  CD: 0x0010,
} as const;

/** Extended errors (RFC 8914), for clients with EDNS. */
export const EXTENDED_ERROR = {
  STALE: 3,
  FORGED: 4,
  BLOCKED: 15,
  STALE_NXDOMAIN: 19,
  NO_AUTHORITY: 22,
} as const;

/** Bytes of a header. */
export const HEADER_BYTES = 12;

/** Longest name in wire format, with its final zero (RFC 1035 2.3.4). */
export const MAX_NAME_BYTES = 255;

/** UDP payload that every resolver accepts (RFC 1035 2.3.4). */
export const DEFAULT_UDP_BYTES = 512;

/** UDP payload that passes every path without fragments (DNS flag day 2020). */
export const SAFE_UDP_BYTES = 1232;

/** Longest message: over TCP it has a 16-bit length. */
export const MAX_MESSAGE_BYTES = 65_535;

/** A 16-bit number; 0 beyond the end. */
export function uint16(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) << 8 | (bytes[at + 1] ?? 0);
}

/** Writes a 16-bit number. */
export function putUint16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 8;
  bytes[at + 1] = value & 0xff;
}

/** A 32-bit number without sign. */
export function uint32(bytes: Uint8Array, at: number): number {
  return (uint16(bytes, at) * 0x10000) + uint16(bytes, at + 2);
}

/** Writes a 32-bit number. */
export function putUint32(bytes: Uint8Array, at: number, value: number): void {
  putUint16(bytes, at, value >>> 16);
  putUint16(bytes, at + 2, value & 0xffff);
}
