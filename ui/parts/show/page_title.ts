import { useEffect } from "preact/hooks";

/** Names the browser tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Sluice`;
  }, [title]);
}
