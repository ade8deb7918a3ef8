import type { Config } from "../config.ts";
import type { EffectContext, Effects } from "../core/engine/change.ts";
import { titleOf } from "../devices/device.ts";
import { nameList } from "../devices/name_list.ts";
import type { InsightsOverview } from "../traffic/schema.ts";
import type { GeoBlockConfig } from "./schema.ts";

/** Sentences of one preview; countries and networks beyond them are counted. */
const MAX_SENTENCES = 10;

/** Days of traffic that a preview looks at. */
export const LOOKED_BACK_DAYS = 7;

/** With whom devices exchanged traffic lately, as it was loaded last; null: not known. */
export class RecentTraffic {
  overview: Pick<InsightsOverview, "Countries" | "ASNs"> | null = null;

  /** What a preview of blocking says. */
  readonly effects: Effects<Config> = (change) => lostTraffic(change, this);
}

interface Blocked {
  readonly name: string;
  /** Addresses of devices that exchanged traffic with it, the most first. */
  readonly used: readonly string[];
}

/** Which devices exchanged traffic lately with what a change blocks, and lose it. */
function lostTraffic(
  { before, after }: EffectContext<Config>,
  { overview }: RecentTraffic,
): readonly string[] {
  if (before.geoBlock === after.geoBlock || overview === null) return [];
  const names = new Map(
    Object.entries(after.devices).map(([id, device]) => [device.RecentIP, titleOf(id, device)]),
  );
  const blocked = newlyBlocked(before.geoBlock, after.geoBlock, overview);
  if (blocked.length === 0) return [];
  const used = blocked.filter((one) => one.used.length > 0);
  if (used.length === 0) {
    const what = blocked.length === 1 ? blocked[0]!.name : "what is blocked";
    return [`No device exchanged traffic with ${what} in the last ${LOOKED_BACK_DAYS} days`];
  }
  const shown = used.slice(0, MAX_SENTENCES).map((one) =>
    `${
      nameList(one.used.map((address) => names.get(address) ?? address))
    } exchanged traffic with ` +
    `${one.name} in the last ${LOOKED_BACK_DAYS} days: access to it ends`
  );
  const more = used.length - shown.length;
  return more === 0 ? shown : [...shown, `${more} more countries and networks were used lately`];
}

/** What is in force after a change and was not before. */
function newlyBlocked(
  before: GeoBlockConfig,
  after: GeoBlockConfig,
  { Countries, ASNs }: NonNullable<RecentTraffic["overview"]>,
): readonly Blocked[] {
  if (!after.Enabled) return [];
  const was = before.Enabled ? before : { DenyCountries: [], DenyASNs: [] };
  const countries = new Set(was.DenyCountries), asns = new Set(was.DenyASNs.map(({ ASN }) => ASN));
  const addresses = (devices: readonly { readonly IP: string }[] | undefined) =>
    (devices ?? []).map(({ IP }) => IP);
  const titles = new Intl.DisplayNames(["en"], { type: "region" });
  return [
    ...after.DenyCountries.filter((code) => !countries.has(code)).map((code) => ({
      name: titles.of(code) ?? code,
      used: addresses(Countries.find(({ Country }) => Country === code)?.Devices),
    })),
    ...after.DenyASNs.filter(({ ASN }) => !asns.has(ASN)).map(({ ASN, Name }) => ({
      name: Name === "" ? `AS${ASN}` : Name,
      used: addresses(ASNs.find((one) => one.ASN === ASN)?.Devices),
    })),
  ];
}
