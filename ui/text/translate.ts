import type { ComponentChildren } from "preact";

/** The texts of one language by the English ones; for plurals all forms, parted by `" | "`. */
export type Catalogue = Readonly<Record<string, string>>;

/** What stands in the place of `{name}`. */
type Values = Readonly<Record<string, string | number>>;

/** Turns the English texts of the code into those of one language. */
export interface Translator {
  /** `t("Delete {name}?", { name })`: the text, with its placeholders filled. */
  readonly t: (text: string, values?: Values) => string;
  /** `tc("state", "Open")`: the same for an English text with several meanings; says which. */
  readonly tc: (context: string, text: string, values?: Values) => string;
  /** `tn("{count} device", "{count} devices", 3)`: the form that goes with the number. */
  readonly tn: (one: string, many: string, count: number, values?: Values) => string;
}

/** Between the forms of a plural, in a key and in a text of a catalogue. */
const FORMS = " | ";
/** Names of plural forms in the order in which a catalogue lists those that its language has (CLDR). */
const ORDER: readonly Intl.LDMLPluralRule[] = ["zero", "one", "two", "few", "many", "other"];

/** Key of a text whose meaning a word tells. */
export function contextKey(context: string, text: string): string {
  return `${text} [${context}]`;
}

/** Key of a text that goes by a number. */
export function pluralKey(one: string, many: string): string {
  return one + FORMS + many;
}

/** The plural forms that a language has, in the order of its catalogue. */
export function pluralForms(locale: string): readonly Intl.LDMLPluralRule[] {
  const { pluralCategories } = new Intl.PluralRules(locale).resolvedOptions();
  return ORDER.filter((name) => pluralCategories.includes(name));
}

/** Texts by a catalogue; what it lacks stays English. `locale` is a BCP 47 tag such as `de-DE`. */
export function translator(locale: string, catalogue: Catalogue): Translator {
  const rules = new Intl.PluralRules(locale);
  const english = new Intl.PluralRules("en");
  const numbers = new Intl.NumberFormat(locale);
  const forms = pluralForms(locale);
  return {
    t: (text, values) => fill(catalogue[text] ?? text, values),
    tc: (context, text, values) => fill(catalogue[contextKey(context, text)] ?? text, values),
    tn(one, many, count, values) {
      const known = catalogue[pluralKey(one, many)]?.split(
        FORMS,
      )[forms.indexOf(rules.select(count))];
      const text = known ?? (english.select(count) === "one" ? one : many);
      return fill(text, { ...values, count: numbers.format(count) });
    },
  };
}

function fill(text: string, values: Values | undefined): string {
  if (values === undefined) return text;
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/**
 * A text with elements in the place of its placeholders:
 * `rich(t("{device} loses access"), { device: <Name>{name}</Name> })`.
 */
export function rich(
  text: string,
  values: Readonly<Record<string, ComponentChildren>>,
): ComponentChildren {
  return text.split(/\{(\w+)\}/).map((part, at) =>
    at % 2 === 0 ? part : part in values ? values[part] : `{${part}}`
  );
}

/** Names of the placeholders of a text, in alphabetical order. */
export function placeholders(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!))].toSorted();
}
