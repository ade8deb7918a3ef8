import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "../../text/language.ts";

const SHOW_DELAY_MS = 300;

/** Grey bars in the shape of a list, once loading takes longer than a moment. */
export function Loading({ what, rows = 6 }: { what: string; rows?: number }): VNode {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SHOW_DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!late) return <div class="skeleton" />;
  return (
    <div class="skeleton" role="status" aria-label={t("Loading {what}", { what })}>
      {Array.from({ length: rows }, (_, row) => <div key={row} class="skeleton-line" />)}
    </div>
  );
}
