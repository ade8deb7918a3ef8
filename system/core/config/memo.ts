/**
 * A function that keeps its last result: while every input is the same value as before, by identity,
 * it answers that result instead of computing it again.
 */
export function memo<Inputs extends readonly unknown[], Value>(
  compute: (...inputs: Inputs) => Value,
): (...inputs: Inputs) => Value {
  let last: { readonly inputs: Inputs; readonly value: Value } | null = null;
  return (...inputs) => {
    const same = last !== null && inputs.length === last.inputs.length &&
      inputs.every((input, at) => Object.is(input, last!.inputs[at]));
    if (!same) last = { inputs, value: compute(...inputs) };
    return last!.value;
  };
}
