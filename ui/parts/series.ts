/** Points of a line in a box, `M0 10L5 3…`, time from left to right, larger values higher up. */
export function linePath(
  values: readonly number[],
  box: { readonly width: number; readonly height: number; readonly most: number },
): string {
  const step = values.length > 1 ? box.width / (values.length - 1) : 0;
  const most = box.most > 0 ? box.most : 1;
  return values.map((value, at) => {
    const y = box.height - (Math.max(0, Math.min(most, value)) / most) * box.height;
    return `${at === 0 ? "M" : "L"}${round(at * step)} ${round(y)}`;
  }).join("");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** A round number at or above the largest value: 1, 2 or 5 times a power of ten. */
export function roundMost(values: readonly number[]): number {
  const most = Math.max(0, ...values);
  if (most === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5, 10].find((factor) => factor * power >= most) ?? 10) * power;
}

/** Place of the largest value; -1 for none. */
export function peakAt(values: readonly number[]): number {
  return values.reduce((best, value, at) => value > (values[best] ?? -Infinity) ? at : best, -1);
}
