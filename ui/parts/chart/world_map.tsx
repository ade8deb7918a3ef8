import type { VNode } from "preact";
// @ts-types="@types/d3-geo"
import { geoEqualEarth, geoPath } from "d3-geo";
// @ts-types="@types/topojson-client"
import { feature } from "topojson-client";
import world from "world-atlas/countries-110m.json" with { type: "json" };
import "../../styles/parts/world_map.css";

const WIDTH = 800, HEIGHT = 390;

interface Shape {
  readonly code: string;
  readonly path: string;
}

/** Outlines of the countries; the numbers of ISO 3166-1 are aliases of their codes (CLDR). */
function shapes(): readonly Shape[] {
  const topology = world as unknown as Parameters<typeof feature>[0];
  const collection = feature(topology, topology.objects["countries"]!);
  if (collection.type !== "FeatureCollection") return [];
  const projection = geoEqualEarth().fitSize([WIDTH, HEIGHT], collection);
  const draw = geoPath(projection);
  return collection.features.map((one) => ({
    code: codeOf(String(one.id ?? "")),
    path: draw(one) ?? "",
  }));
}

function codeOf(number: string): string {
  return /^\d{3}$/.test(number) ? new Intl.Locale(`und-${number}`).region ?? "" : "";
}

let drawn: readonly Shape[] | null = null;

/**
 * The world, with a shade and a title for each country by its code. What it shows stands in the list
 * beside it as well, so that it needs neither eyes nor a mouse.
 */
export default function WorldMap(
  { shadeOf, titleOf, onPick }: {
    shadeOf: (code: string) => "" | "blocked" | "some" | "much" | "most";
    titleOf: (code: string) => string;
    onPick: (code: string) => void;
  },
): VNode {
  drawn ??= shapes();
  return (
    <svg class="world" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {drawn.map(({ code, path }) => (
        <path
          key={path}
          d={path}
          class={shadeOf(code)}
          onClick={code === "" ? undefined : () => onPick(code)}
        >
          <title>{code === "" ? "" : titleOf(code)}</title>
        </path>
      ))}
    </svg>
  );
}
