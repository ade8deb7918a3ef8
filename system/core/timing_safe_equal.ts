import { timingSafeEqual as nodeTimingSafeEqual } from "node:crypto";

/**
 * Compares two buffers in a time that depends only on their lengths. Same signature as
 * `@std/crypto/timing-safe-equal`; buffers of unequal length are unequal.
 */
export function timingSafeEqual(
  a: ArrayBufferView | ArrayBufferLike | DataView,
  b: ArrayBufferView | ArrayBufferLike | DataView,
): boolean {
  const left = bytes(a), right = bytes(b);
  return left.byteLength === right.byteLength && nodeTimingSafeEqual(left, right);
}

function bytes(source: ArrayBufferView | ArrayBufferLike | DataView): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}
