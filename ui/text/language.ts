import { type Catalogue, translator } from "./translate.ts";

/** The languages of the pages by their codes: their own names, and whose dates and numbers go with them. */
export const LANGUAGES = {
  en: { name: "English", locale: "en-GB" },
  de: { name: "Deutsch", locale: "de-DE" },
} as const;

/** Code of a language of the pages. */
export type Language = keyof typeof LANGUAGES;

const STORED = "sluice.language";
const page = globalThis.document?.documentElement;

/** Parts of a language, in the order in which the page names their files; the last has those of Home too. */
const PARTS = ["shell", "home", "pages"] as const;
type Part = typeof PARTS[number];

/** Of the shell at first, and of pages once one is opened; empty for English, which the code has. */
const catalogue: Record<string, string> = {};
const loaded = new Map<Part, Promise<void>>();

async function load(language: string, part: Part): Promise<void> {
  const files = document.querySelector<HTMLMetaElement>("meta[name=texts]")?.dataset[language];
  const file = files?.split(" ")[PARTS.indexOf(part)];
  if (file === undefined) return;
  const answer = await fetch(file);
  if (!answer.ok) throw new Error(`${file}: ${answer.status}`);
  Object.assign(catalogue, await answer.json() as Catalogue);
}

/** What `first_paint.ts` chose before anything was drawn. English where its texts do not come. */
async function languageOfPage(): Promise<Language> {
  const { lang = "en" } = page ?? {};
  if (lang === "en" || !(lang in LANGUAGES)) return "en";
  try {
    await load(lang, "shell");
    return lang as Language;
  } catch {
    page.lang = "en";
    return "en";
  }
}

// Modules that import this one wait for it: their texts are in this language, constants as well.
const language = await languageOfPage();

/** Whose way to write dates and numbers this page follows. */
export const locale = LANGUAGES[language].locale;

/** Settled once the texts of all pages and late parts are there. Rejects when they did not come. */
export function pageTexts(): Promise<void> {
  return loadOnce("pages");
}

/** Settled once the texts of Home are there. Rejects when they did not come. */
export function homeTexts(): Promise<void> {
  return loaded.get("pages") ?? loadOnce("home");
}

function loadOnce(part: Part): Promise<void> {
  if (language === "en") return Promise.resolve();
  const known = loaded.get(part);
  if (known !== undefined) return known;
  const loading = load(language, part).catch((error) => {
    loaded.delete(part);
    throw error;
  });
  loaded.set(part, loading);
  return loading;
}

export const { t, tc, tn } = translator(locale, catalogue);

/** What this browser remembers; null follows the browser's own languages. */
export function chosenLanguage(): Language | null {
  const stored = localStorage.getItem(STORED);
  return stored !== null && stored in LANGUAGES ? stored as Language : null;
}

/** Chooses a language, or that of the browser by null, and loads the page again in it. */
export function chooseLanguage(chosen: Language | null): void {
  if (chosen === null) localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, chosen);
  location.reload();
}
