import { useRef, useState } from "preact/hooks";
import { stableOrder } from "./sort.ts";

/** Keeps rows in their place while the world changes, until they are sorted anew or by another view. */
export function useStableOrder(
  wanted: readonly string[],
  view: string,
): { readonly order: readonly string[]; readonly moved: number; readonly resort: () => void } {
  const last = useRef<{ view: string; order: readonly string[] }>({ view: "", order: [] });
  const [, draw] = useState(0);
  const { order, moved } = last.current.view === view
    ? stableOrder(last.current.order, wanted)
    : { order: wanted, moved: 0 };
  last.current = { view, order };
  const resort = (): void => {
    last.current = { view, order: wanted };
    draw((n) => n + 1);
  };
  return { order, moved, resort };
}
