/**
 * HalfSipHash with 64 bits, written after the reference's text and for no speed: what the resolver's
 * fast one is compared with. `c`, `d`: rounds for each word and at the end.
 */
export function halfSipHash64(
  key: readonly [number, number],
  input: Uint8Array,
  { c, d }: { readonly c: number; readonly d: number },
): readonly [number, number] {
  const add = (a: number, b: number): number => (a + b) >>> 0;
  const xor = (a: number, b: number): number => (a ^ b) >>> 0;
  const rotate = (a: number, by: number): number => (a << by | a >>> (32 - by)) >>> 0;
  const v = [
    key[0] >>> 0,
    xor(key[1], 0xee),
    xor(0x6c796765, key[0]),
    xor(0x74656462, key[1]),
  ] as [number, number, number, number];
  const round = (): void => {
    v[0] = add(v[0], v[1]);
    v[1] = xor(rotate(v[1], 5), v[0]);
    v[0] = rotate(v[0], 16);
    v[2] = add(v[2], v[3]);
    v[3] = xor(rotate(v[3], 8), v[2]);
    v[0] = add(v[0], v[3]);
    v[3] = xor(rotate(v[3], 7), v[0]);
    v[2] = add(v[2], v[1]);
    v[1] = xor(rotate(v[1], 13), v[2]);
    v[2] = rotate(v[2], 16);
  };
  const take = (word: number): void => {
    v[3] = xor(v[3], word);
    for (let i = 0; i < c; i++) round();
    v[0] = xor(v[0], word);
  };
  const padded = new Uint8Array((Math.floor(input.length / 4) + 1) * 4);
  padded.set(input);
  padded[padded.length - 1] = input.length & 0xff;
  const view = new DataView(padded.buffer);
  for (let at = 0; at < padded.length; at += 4) take(view.getUint32(at, true));
  v[2] = xor(v[2], 0xee);
  for (let i = 0; i < d; i++) round();
  const first = xor(v[1], v[3]);
  v[1] = xor(v[1], 0xdd);
  for (let i = 0; i < d; i++) round();
  return [first, xor(v[1], v[3])];
}
