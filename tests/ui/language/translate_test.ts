import assert from "node:assert/strict";
import { apiTexts, apiTextsIn } from "../../../ui/build/api_texts.ts";
import { pageModules, template, textsIn } from "../../../ui/build/texts.ts";
import { LANGUAGES } from "../../../ui/text/language.ts";
import {
  placeholders,
  pluralForms,
  pluralKey,
  rich,
  translator,
} from "../../../ui/text/translate.ts";

const UI = new URL("../../../ui/", import.meta.url).pathname;

async function catalogue(language: string): Promise<Readonly<Record<string, string>>> {
  return JSON.parse(await Deno.readTextFile(`${UI}languages/${language}.json`));
}

Deno.test("a text is that of the catalogue, with its placeholders filled once", () => {
  const { t, tc, tn } = translator("de-DE", {
    "Delete {name}?": "{name} löschen?",
    "Open [state]": "Offen",
    "{count} device | {count} devices": "{count} Gerät | {count} Geräte",
  });
  assert.equal(t("Delete {name}?", { name: "{name}" }), "{name} löschen?");
  assert.equal(tc("state", "Open"), "Offen");
  assert.equal(tc("verb", "Open"), "Open");
  assert.equal(tn("{count} device", "{count} devices", 1), "1 Gerät");
  assert.equal(tn("{count} device", "{count} devices", 1234), "1.234 Geräte");
  assert.equal(tn("{count} rule", "{count} rules", 1), "1 rule");
  assert.equal(tn("{count} rule in {place}", "{count} rules", 1, { place: "it" }), "1 rule in it");
});

Deno.test("languages with several plural forms have them all", () => {
  const { tn } = translator("pl", { "{count} rule | {count} rules": "a | b | c | d" });
  assert.deepEqual(pluralForms("pl"), ["one", "few", "many", "other"]);
  const forms = [1, 2, 5, 1.5].map((count) => tn("{count} rule", "{count} rules", count));
  assert.deepEqual(forms, ["a", "b", "c", "d"]);
});

Deno.test("elements stand in the place of their placeholders, in the order of the language", () => {
  const values = { device: "TV", group: ["a", "b"] };
  assert.deepEqual(rich("{group}: without {device}.", values), [
    "",
    ["a", "b"],
    ": without ",
    "TV",
    ".",
  ]);
  assert.deepEqual(rich("{unknown}", {}), ["", "{unknown}", ""]);
});

Deno.test("texts are found in the code, and none in its comments", () => {
  const source = `
    /** As in t("No text"). */
    // t("Neither this")
    const label = t("Save");
    t(
      "A \\"quoted\\" word",
      { name },
    );
    tc("state", "Open"); tn('"{count}" rule', "{count} rules", 2); put("Not this");
  `;
  assert.deepEqual([...textsIn(source)], [
    ["Save", "Save"],
    ['A "quoted" word', 'A "quoted" word'],
    ["Open [state]", "Open"],
    ['"{count}" rule | {count} rules', '"{count}" rule | {count} rules'],
  ]);
});

Deno.test("sentences of the API are found where problems and schemas have them", () => {
  const source = `
    z.string().max(9, { error: "Use at most" + " 9 characters" });
    throw invalid(place(at, "x"), "Choose another name"); invalid(\`/\${at}\`, "Leave it out");
    throw conflict("There is one already", { holder }); notFound(sentence("There is no {name}", { name }));
    throw new Problem(429, "Too many of them"); new Problem(500, "Not this"); log("not this either");
    const kind = { needed: "This is needed: a list", name: "Not a sentence" };
  `;
  assert.deepEqual([...apiTextsIn(source)].toSorted(), [
    "Choose another name",
    "Leave it out",
    "There is no {name}",
    "There is one already",
    "This is needed: a list",
    "Too many of them",
    "Use at most 9 characters",
  ]);
});

Deno.test("the template has the texts of the code: deno task texts", async () => {
  assert.deepEqual(
    await catalogue("en"),
    template((await pageModules(UI)).values(), await apiTexts(`${UI}..`)),
  );
});

for (const [language, { locale }] of Object.entries(LANGUAGES)) {
  if (language === "en") continue;
  Deno.test(`${language}.json has every text, none that is not used, and all placeholders`, async () => {
    const english = await catalogue("en");
    const other = await catalogue(language);
    const missing = Object.keys(english).filter((key) => !(key in other));
    const unused = Object.keys(other).filter((key) => !(key in english));
    assert.deepEqual({ missing, unused }, { missing: [], unused: [] });
    const forms = pluralForms(locale).length;
    for (const [key, text] of Object.entries(other)) {
      const [one, many] = key.split(" | ");
      const isPlural = many !== undefined && english[key] === pluralKey(one!, many);
      const texts = isPlural ? text.split(" | ") : [text];
      assert.equal(texts.length, isPlural ? forms : 1, key);
      for (const part of texts) {
        assert.notEqual(part.trim(), "", key);
        const wanted = placeholders(english[key]!).filter((name) => name !== "count");
        const found = placeholders(part).filter((name) => name !== "count");
        assert.deepEqual(found, wanted, key);
      }
    }
  });
}
