import type { VNode } from "preact";

/** Drawings on a 16-unit grid; strokes take the colour of the text. */
const shapes = {
  alert: (
    <>
      <path d="M8 2.5 14.3 13.5H1.7z" />
      <path d="M8 6.5v3.2M8 11.6v.1" />
    </>
  ),
  arrow: (
    <>
      <path d="M2.5 8h11M9.5 4l4 4-4 4" />
    </>
  ),
  bell: (
    <>
      <path d="M3.5 11.500h9l-1.200-1.800V7a3.300 3.300 0 0 0-6.600 0v2.700z" />
      <path d="M6.700 13.500h2.600M8 2.300v1.400" />
    </>
  ),
  camera: (
    <>
      <path d="M2 4.5h8.5v7H2zM10.5 7l3.5-2v6l-3.5-2" />
    </>
  ),
  check: (
    <>
      <path d="m2.500 8.500 3.500 3.500 7.500-8" />
    </>
  ),
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1" />
      <path d="M3.5 10.5h-1v-8h8v1" />
    </>
  ),
  desktop: (
    <>
      <rect x="2" y="2.5" width="12" height="8" rx="1" />
      <path d="M8 10.5v3M5 13.5h6" />
    </>
  ),
  devices: (
    <>
      <rect x="1.5" y="3" width="9" height="7" rx="1" />
      <path d="M4 13h4" />
      <rect x="10.5" y="6.5" width="4" height="7" rx="1" />
    </>
  ),
  game: (
    <>
      <rect x="1.5" y="4.5" width="13" height="7.5" rx="3" />
      <path d="M5.5 7v2.5M4.2 8.2h2.6M10.5 7.3v.1M11.8 9v.1" />
    </>
  ),
  gate: (
    <>
      <path d="M10 2v3.5M10 10.5V14M2 8h12" />
    </>
  ),
  gate_open: (
    <>
      <path d="M1.5 8h12.5M11 5l3 3-3 3" />
      <path stroke-width="2.250" d="M7 2v2.8M7 11.2V14" />
    </>
  ),
  gate_closed: (
    <>
      <path d="M1.5 8h6M5 5.5 7.5 8 5 10.5" />
      <path stroke-width="2.250" d="M11.5 2v12" />
    </>
  ),
  home: (
    <>
      <path d="M2 7.5 8 2.5l6 5M3.5 6.5v7h9v-7M6.5 13.5v-4h3v4" />
    </>
  ),
  key: (
    <>
      <circle cx="5" cy="8" r="3" />
      <path d="M8 8h6.5M12 8v2.5" />
    </>
  ),
  laptop: (
    <>
      <rect x="3" y="3" width="10" height="7" rx="1" />
      <path d="M1.5 13h13" />
    </>
  ),
  logo: (
    <>
      <path stroke-width="2" d="M8 1.5v4M8 10.5v4" />
      <path
        stroke-width="1.750"
        d="M1 8.4c1.2-1.5 2.3-1.5 3.5 0s2.3 1.5 3.5 0 2.3-1.5 3.5 0 2.3 1.5 3.5 0"
      />
    </>
  ),
  people: (
    <>
      <circle cx="6" cy="5.5" r="2.5" />
      <path d="M1.8 13.5c.3-2.6 2-4 4.2-4s3.9 1.4 4.2 4M10.5 3.3a2.3 2.3 0 0 1 0 4.4M12 9.8c1.3.5 2.1 1.8 2.3 3.7" />
    </>
  ),
  phone: (
    <>
      <rect x="4.5" y="1.5" width="7" height="13" rx="1.5" />
      <path d="M7.2 12.3h1.6" />
    </>
  ),
  plus: (
    <>
      <path d="M8 3v10M3 8h10" />
    </>
  ),
  printer: (
    <>
      <path d="M4.5 6V2.5h7V6M4.5 11.5h-2V6h11v5.5h-2" />
      <path d="M4.5 9.5h7v4h-7z" />
    </>
  ),
  right: (
    <>
      <path d="m6 3.5 4.5 4.5L6 12.5" />
    </>
  ),
  router: (
    <>
      <rect x="1.5" y="8.5" width="13" height="5" rx="1" />
      <path d="M4 11v.1M6.5 11v.1M12 8.5V3.5M9.3 5.2a4 4 0 0 1 5.4 0" />
    </>
  ),
  more: (
    <>
      <path d="M2 4.5h12M2 8h12M2 11.5h12" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3 3" />
    </>
  ),
  sensor: (
    <>
      <path d="M8 9.5V3.5a1.5 1.5 0 0 0-3 0v6a3 3 0 1 0 3 0zM10.5 4h3M10.5 6.5h2" />
    </>
  ),
  server: (
    <>
      <rect x="2.5" y="2.5" width="11" height="4.5" rx="1" />
      <rect x="2.5" y="9" width="11" height="4.5" rx="1" />
      <path d="M5 4.8v.1M5 11.3v.1" />
    </>
  ),
  sun: (
    <>
      <circle cx="8" cy="8" r="3" />
      <path d="M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9" />
    </>
  ),
  system: (
    <>
      <path d="M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6" />
      <circle cx="10" cy="4.5" r="1.8" />
      <circle cx="6" cy="11.5" r="1.8" />
    </>
  ),
  tablet: (
    <>
      <rect x="3" y="1.5" width="10" height="13" rx="1.5" />
      <path d="M7.2 12.3h1.6" />
    </>
  ),
  tv: (
    <>
      <rect x="1.5" y="3" width="13" height="8.5" rx="1" />
      <path d="M5 14h6" />
    </>
  ),
  undo: (
    <>
      <path d="M5.5 3 2.5 6l3 3" />
      <path d="M2.5 6h6.8a4 4 0 0 1 0 8H6" />
    </>
  ),
  up: (
    <>
      <path d="m3.5 10 4.5-4.5 4.5 4.5" />
    </>
  ),
  vacuum: (
    <>
      <circle cx="8" cy="8" r="6" />
      <circle cx="8" cy="8" r="1.7" />
      <path d="M3 5h10" />
    </>
  ),
  wifi: (
    <>
      <path d="M1.5 6.2a9.5 9.5 0 0 1 13 0M4 9a6 6 0 0 1 8 0" />
      <circle cx="8" cy="12" r=".9" />
    </>
  ),
  x: (
    <>
      <path d="m4 4 8 8M12 4l-8 8" />
    </>
  ),
  changes: (
    <>
      <path d="M3 3.5v3.2h3.2M3.3 6.5A5.5 5.5 0 1 1 2.5 9M8 5.2V8l2 1.4" />
    </>
  ),
  out: (
    <>
      <path d="M6.5 2.5h-4v11h4M10 5l3 3-3 3M13 8H6" />
    </>
  ),
  globe: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M2.5 8h11M8 2.5c2 1.7 2.5 3.5 2.5 5.5S10 11.8 8 13.5M8 2.5C6 4.2 5.5 6 5.5 8s.5 3.8 2.5 5.5" />
    </>
  ),
  dots: (
    <>
      <path stroke-width="2.250" d="M3.5 8h.01M8 8h.01M12.5 8h.01" />
    </>
  ),
  lines: (
    <>
      <path d="M2.5 4h11M2.5 8h8M2.5 12h9.5" />
    </>
  ),
  label: (
    <>
      <path d="M2.5 3v4.2l6.3 6.3 4.7-4.7-6.3-6.3H3zM5.3 5.3v.1" />
    </>
  ),
  grid: (
    <>
      <path d="M2.5 2.5h11v11h-11zM6.2 2.5v11M9.8 2.5v11M2.5 6.2h11M2.5 9.8h11" />
    </>
  ),
  help: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M6 6.300a2 2 0 1 1 2 2.400v.900M8 11.600v.1" />
    </>
  ),
  left: (
    <>
      <path d="M10 3.5 5.5 8l4.5 4.5" />
    </>
  ),
} as const;

export type IconName = keyof typeof shapes;

/** A drawing beside words. */
export function Icon(
  { name, small, class: extra }: { name: IconName; small?: boolean; class?: string },
): VNode {
  const classes = `i${small ? " i-s" : ""}${extra ? ` ${extra}` : ""}`;
  return <svg class={classes} viewBox="0 0 16 16" aria-hidden="true">{shapes[name]}</svg>;
}
