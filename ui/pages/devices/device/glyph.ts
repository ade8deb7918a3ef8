import type { IconName } from "../../../parts/show/icon.tsx";
import type { Device } from "../../../wire.ts";
import { t } from "../../../text/language.ts";

/** Icons that can be chosen, as they are stored, with their labels. */
export const ICONS: readonly (readonly [IconName, string])[] = [
  ["phone", t("Phone")],
  ["tablet", t("Tablet")],
  ["laptop", t("Laptop")],
  ["desktop", t("Computer")],
  ["server", t("Server")],
  ["printer", t("Printer")],
  ["camera", t("Camera")],
  ["tv", t("Television")],
  ["game", t("Game console")],
  ["sensor", t("Sensor")],
  ["vacuum", t("Robot")],
  ["wifi", t("Access point")],
  ["router", t("Network device")],
];

/** Colours that a person can choose, as they are stored: those of the data series. */
export const COLOURS: readonly (readonly [string, string])[] = [
  ["blue", t("Blue")],
  ["orange", t("Orange")],
  ["green", t("Green")],
  ["plum", t("Plum")],
  ["olive", t("Olive")],
  ["slate", t("Slate")],
];

const GLYPHS: readonly (readonly [RegExp, IconName])[] = [
  [/tablet|pad\b/i, "tablet"],
  [/phone|handy/i, "phone"],
  [/laptop|book/i, "laptop"],
  [/camera|doorbell/i, "camera"],
  [/printer/i, "printer"],
  [/tv|television/i, "tv"],
  [/console|game/i, "game"],
  [/server|nas\b/i, "server"],
  [/vacuum|mower/i, "vacuum"],
  [/sensor|thermo|pump|meter/i, "sensor"],
  [/desktop|pc\b|computer/i, "desktop"],
];

/** The icon of a device: the chosen one, else that of its type, else one that fits its name. */
export function glyphOf(device: Pick<Device, "Name" | "Style">, type = ""): IconName {
  const chosen = device.Style?.Icon.toLowerCase() ?? "";
  const known = ICONS.find(([value]) => value === chosen)?.[0];
  if (known !== undefined) return known;
  const suggested = ICONS.find(([value]) => value === type)?.[0];
  if (suggested !== undefined && chosen === "") return suggested;
  const text = `${chosen} ${device.Name}`;
  return GLYPHS.find(([pattern]) => pattern.test(text))?.[1] ?? "devices";
}

/** The class of the chosen colour; empty for none that this page knows. */
export function colourOf(device: Pick<Device, "Style">): string {
  const chosen = device.Style?.Color.toLowerCase() ?? "";
  return COLOURS.some(([value]) => value === chosen) ? chosen : "";
}
