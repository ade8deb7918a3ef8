/**
 * Makes something of each object once and gives the same back afterwards, so that what follows can
 * see what did not change. The objects must be immutable.
 */
export function onceEach<T extends object, R>(make: (element: T) => R): (element: T) => R {
  const made = new WeakMap<T, { readonly result: R }>();
  return (element) => {
    let known = made.get(element);
    if (known === undefined) {
      known = { result: make(element) };
      made.set(element, known);
    }
    return known.result;
  };
}
