import type { VNode } from "preact";
import { encode } from "uqr";
import "../../styles/parts/qr.css";

const MARGIN = 4;

/** A QR code, black on white in both themes; the secret never becomes an address. */
export function Qr({ text, label }: { text: string; label: string }): VNode {
  const { data, size } = encode(text, { border: MARGIN, ecc: "M" });
  const path = data.flatMap((row, y) => row.map((dark, x) => dark ? `M${x} ${y}h1v1h-1z` : ""))
    .join("");
  return (
    <div class="qr">
      <svg
        viewBox={`0 0 ${size} ${size}`}
        role="img"
        aria-label={label}
        shape-rendering="crispEdges"
      >
        <path d={path} fill="#000" />
      </svg>
    </div>
  );
}
