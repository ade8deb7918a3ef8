import { useEffect, useState } from "preact/hooks";

/**
 * A number that grows every so many milliseconds while the page is to be seen, and at once when it is
 * looked at again; for what no event tells of.
 */
export function usePulse(every: number): number {
  const [beat, setBeat] = useState(0);
  useEffect(() => {
    const pulse = (): void => {
      if (document.visibilityState === "visible") setBeat((count) => count + 1);
    };
    const timer = setInterval(pulse, every);
    document.addEventListener("visibilitychange", pulse);
    addEventListener("focus", pulse);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", pulse);
      removeEventListener("focus", pulse);
    };
  }, [every]);
  return beat;
}
