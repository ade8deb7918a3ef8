import type { Config } from "../config.ts";
import type { AddressInfo } from "../lookup/client.ts";
import type { GeoAsn, GeoBlockConfig } from "./schema.ts";

type Result = readonly [Config, GeoBlockConfig];

function result(config: Config, next: GeoBlockConfig): Result {
  const isSame = JSON.stringify(config.geoBlock) === JSON.stringify(next);
  return [isSame ? config : { ...config, geoBlock: next }, next];
}

/** Sets what is blocked; the same configuration when nothing differs. */
export function setGeoBlock(config: Config, next: GeoBlockConfig): Result {
  return result(config, next);
}

/** Blocks a country; one that is blocked already moves to the end. */
export function blockCountry(config: Config, code: string): Result {
  const others = config.geoBlock.DenyCountries.filter((one) => one !== code);
  return result(config, { ...config.geoBlock, DenyCountries: [...others, code] });
}

/** Blocks a country no longer. */
export function unblockCountry(config: Config, code: string): Result {
  const DenyCountries = config.geoBlock.DenyCountries.filter((one) => one !== code);
  return result(config, { ...config.geoBlock, DenyCountries });
}

/** Blocks a network; one that is blocked already moves to the end. */
export function blockNetwork(config: Config, network: GeoAsn): Result {
  const others = config.geoBlock.DenyASNs.filter(({ ASN }) => ASN !== network.ASN);
  return result(config, { ...config.geoBlock, DenyASNs: [...others, network] });
}

/** Blocks a network no longer. */
export function unblockNetwork(config: Config, asn: number): Result {
  const DenyASNs = config.geoBlock.DenyASNs.filter(({ ASN }) => ASN !== asn);
  return result(config, { ...config.geoBlock, DenyASNs });
}

/** Why a caller from an address would be cut off by this configuration; null: they would not be. */
export function cutsOff(
  { Enabled, DenyCountries, DenyASNs }: GeoBlockConfig,
  { asn, country }: AddressInfo,
): string | null {
  if (!Enabled) return null;
  if (DenyCountries.includes(country)) return `the country ${country} would be blocked`;
  return DenyASNs.some(({ ASN }) => ASN === asn) ? `the network AS${asn} would be blocked` : null;
}
