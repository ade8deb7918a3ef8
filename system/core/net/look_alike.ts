/** Letters of other scripts that are drawn as Latin ones (after Unicode Technical Standard 39). */
const UPPER = "АВЕЅІЈКМНОРСТУХҮԌԚԜ ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ Օ";
const UPPER_LATIN = "abesijkmhopctyxygqw abezhikmnoptyx o";
const LOWER = "аеёһіїјкорсѕтухѵԁԛԝ αικνορυχϲϳ հոօսց ıɑɡ";
const LOWER_LATIN = "aeëhiïjkopcstyxvdqw aikvopuxcj hnoug iag";

const LATIN: ReadonlyMap<string, string> = new Map(
  [...UPPER + LOWER].map((letter, at) => [letter, [...UPPER_LATIN + LOWER_LATIN][at]!]),
);

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * What a text looks like to people: equal for texts that differ only in case, in compatible forms
 * (NFKC), in characters that are not drawn, or in letters of another script that are drawn alike.
 */
export function skeleton(text: string): string {
  const drawn = text.normalize("NFKC").replace(IGNORABLE, "");
  const latin = [...drawn].map((letter) => LATIN.get(letter) ?? lower(letter)).join("");
  return latin.normalize("NFKC").replace(/\s+/g, " ").trim();
}

/** A letter that has no look-alike itself, in lower case, which may have one (`Ɑ`). */
function lower(letter: string): string {
  return [...letter.toLowerCase()].map((one) => LATIN.get(one) ?? one).join("");
}
