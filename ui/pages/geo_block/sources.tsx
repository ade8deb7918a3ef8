import type { VNode } from "preact";
import type { GeoBlockStatus } from "./actions.ts";
import { countryName } from "./countries.ts";
import { t } from "../../text/language.ts";
import { numberText } from "../../text/format.ts";

type Source = GeoBlockStatus["Sources"][number];

function nameOf({ Type, Key }: Source): string {
  return Type === "country" ? countryName(Key) : Type === "asn" ? `AS${Key}` : Key;
}

/** What each country, network and list has blocked, most first. */
export function Sources({ status }: { status: GeoBlockStatus }): VNode {
  const rows = [...status.Sources].sort((a, b) => b.Packets - a.Packets);
  return (
    <section class="panel bleed" aria-labelledby="hits">
      <header>
        <h2 id="hits">{t("Blocked connections")}</h2>
        <span class="note">
          {t("{rangesProgrammed} address ranges in force", {
            rangesProgrammed: numberText(status.RangesProgrammed),
          })}
        </span>
      </header>
      {rows.length === 0
        ? <p class="pad s quiet">{t("Nothing is blocked.")}</p>
        : (
          <table class="tbl" role="table" aria-label={t("Blocked connections")}>
            <thead role="rowgroup">
              <tr role="row">
                <th scope="col" role="columnheader">{t("Source")}</th>
                <th scope="col" role="columnheader" class="num">{t("Ranges")}</th>
                <th scope="col" role="columnheader" class="num">{t("Packets blocked")}</th>
                <th scope="col" role="columnheader">{t("State")}</th>
              </tr>
            </thead>
            <tbody role="rowgroup">
              {rows.map((one) => (
                <tr key={`${one.Type} ${one.Key}`} role="row">
                  <td role="cell">
                    <bdi>{nameOf(one)}</bdi>
                  </td>
                  <td role="cell" class="num">{numberText(one.Ranges)}</td>
                  <td role="cell" class="num">{numberText(one.Packets)}</td>
                  <td role="cell">
                    {one.Error === ""
                      ? <span class="quiet">{one.LastFetch === "" ? "–" : t("up to date")}</span>
                      : <span class="danger-t">{one.Error}</span>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
    </section>
  );
}
