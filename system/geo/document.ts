import type { Document } from "../core/config/document.ts";
import { Problem } from "../core/errors/problem.ts";
import { DEFAULT_REFRESH_SECONDS, GeoBlockConfig } from "./schema.ts";

const FALLBACK: GeoBlockConfig = {
  Enabled: false,
  DenyCountries: [],
  DenyASNs: [],
  Lists: [{
    URI: "https://www.spamhaus.org/drop/asndrop.json",
    Enabled: false,
    Note: "Spamhaus ASN-DROP: networks that are hijacked or leased by criminals",
  }],
  RefreshSeconds: DEFAULT_REFRESH_SECONDS,
};

/** What is blocked by country, network and list. */
export const geoBlockDocument: Document<GeoBlockConfig> = {
  path: "base/geo_block.json",
  topic: "geo_block",
  schema: GeoBlockConfig,
  fallback: FALLBACK,
  read(raw) {
    const given = typeof raw === "object" && raw !== null && !Array.isArray(raw)
      ? Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null))
      : raw;
    const parsed = GeoBlockConfig.safeParse(given);
    if (parsed.success) return { value: parsed.data, rejected: [] };
    const [issue] = parsed.error.issues;
    throw new Problem(400, `/${issue!.path.join("/")}: ${issue!.message}`);
  },
  keyOf: (element) => {
    if (typeof element !== "object" || element === null) return JSON.stringify(element);
    if ("ASN" in element) return String(element.ASN);
    return "URI" in element ? String(element.URI) : JSON.stringify(element);
  },
};
