import { locale, t } from "../../text/language.ts";

/** Countries and territories (ISO 3166-1 alpha-2) by continent. */
const CONTINENTS: Readonly<Record<string, string>> = {
  [t("Africa")]:
    "AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW KE KM LR LS LY MA MG ML MR " +
    "MU MW MZ NA NE NG RE RW SC SD SH SL SN SO SS ST SZ TD TG TN TZ UG YT ZA ZM ZW",
  [t("Asia")]:
    "AE AF AM AZ BD BH BN BT CN GE HK ID IL IN IQ IR JO JP KG KH KP KR KW KZ LA LB LK MM MN MO MV MY " +
    "NP OM PH PK PS QA SA SG SY TH TJ TL TM TR TW UZ VN YE",
  [t("Europe")]:
    "AD AL AT AX BA BE BG BY CH CY CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT LU " +
    "LV MC MD ME MK MT NL NO PL PT RO RS RU SE SI SJ SK SM UA VA XK",
  [t("North America")]:
    "AG AI AW BB BL BM BQ BS BZ CA CR CU CW DM DO GD GL GP GT HN HT JM KN KY LC MF MQ MS MX NI PA PM " +
    "PR SV SX TC TT US VC VG VI",
  [t("Oceania")]: "AS AU CK FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TO TV VU WF WS",
  [t("South America")]: "AR BO BR CL CO EC FK GF GY PE PY SR UY VE",
};

/** A country as people read it. */
export interface Country {
  readonly code: string;
  readonly name: string;
  readonly continent: string;
}

const names = new Intl.DisplayNames([locale], { type: "region" });

/** Name of a country by its code. */
export function countryName(code: string): string {
  return names.of(code) ?? code;
}

/** Every country, by continent and name. */
const COUNTRIES: readonly Country[] = Object.entries(CONTINENTS).flatMap((
  [continent, codes],
) =>
  codes.split(" ").map((code) => ({ code, name: countryName(code), continent }))
    .sort((a, b) => a.name.localeCompare(b.name, locale))
);

/** Countries whose name, code or continent has the text. */
export function matching(text: string): readonly Country[] {
  const part = text.trim().toLowerCase();
  return COUNTRIES.filter(({ code, name, continent }) =>
    part === "" || code.toLowerCase() === part || name.toLowerCase().includes(part) ||
    continent.toLowerCase().includes(part)
  );
}
