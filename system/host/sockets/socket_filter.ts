import { openLibc } from "./libc.ts";

/** An instruction of classic BPF (linux/filter.h): code, jumps when true and when false, operand. */
export type FilterStep = readonly [number, number, number, number];

/** A program as SO_ATTACH_FILTER takes it; `code` must live until it is attached. */
export interface SocketFilter {
  /** struct sock_fprog. */
  readonly fprog: Uint8Array<ArrayBuffer>;
  readonly code: Uint8Array<ArrayBuffer>;
}

const SYMBOLS = {
  memcpy: { parameters: ["buffer", "buffer", "usize"], result: "usize" },
} as const;

let library: Deno.DynamicLibrary<typeof SYMBOLS> | undefined;

/** Assembles a program of classic BPF. */
export function socketFilter(steps: readonly FilterStep[]): SocketFilter {
  const code = new Uint8Array(steps.length * 8);
  const view = new DataView(code.buffer);
  steps.forEach(([operation, yes, no, value], at) => {
    view.setUint16(at * 8, operation, true);
    view.setUint8(at * 8 + 2, yes);
    view.setUint8(at * 8 + 3, no);
    view.setUint32(at * 8 + 4, value, true);
  });
  const fprog = new Uint8Array(16);
  const head = new DataView(fprog.buffer);
  head.setUint16(0, steps.length, true);
  // memcpy(3) answers where its first argument lies; Deno's own word for that wants every library.
  const { symbols } = library ??= openLibc(SYMBOLS);
  head.setBigUint64(8, BigInt(symbols.memcpy(code, code, 0n)), true);
  return { fprog, code };
}
