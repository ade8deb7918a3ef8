import type { Document } from "../core/config/document.ts";
import { issueMessage, withoutNulls } from "../core/config/read_list.ts";
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
    const parsed = GeoBlockConfig.safeParse(withoutNulls(raw));
    if (parsed.success) return { value: parsed.data, rejected: [] };
    throw new Problem(400, issueMessage(parsed.error));
  },
  keyOf: (element) => {
    if (typeof element !== "object" || element === null) return JSON.stringify(element);
    if ("ASN" in element) return String(element.ASN);
    return "URI" in element ? String(element.URI) : JSON.stringify(element);
  },
};
