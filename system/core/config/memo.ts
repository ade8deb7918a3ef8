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

/**
 * Computes something of each value once and keeps it with the value, so that equal calls give the
 * same object. Values must be immutable.
 */
export function onceEach<T extends object, R>(compute: (value: T) => R): (value: T) => R {
  const results = new WeakMap<T, { readonly result: R }>();
  return (value) => {
    let known = results.get(value);
    if (known === undefined) results.set(value, known = { result: compute(value) });
    return known.result;
  };
}
