import type { VNode } from "preact";
import { stage } from "../../state/session.ts";
import { t } from "../../text/language.ts";
import { Icon } from "../show/icon.tsx";
import { isUpdated, lookAfterFailure } from "./lazy.tsx";

/** The files that the page names: their addresses change with what is in them. */
function filesOfPage(): readonly string[] {
  const script = document.querySelector("script[type=module]")?.getAttribute("src") ?? "";
  const manual = document.querySelector<HTMLMetaElement>("meta[name=manual]")?.content ?? "";
  const texts = document.querySelector<HTMLMetaElement>("meta[name=texts]")?.dataset ?? {};
  return [script, manual, ...Object.values(texts).map((files) => files ?? "")];
}

/**
 * Looks, once a file did not come, whether it is gone with an update of the router. A page on which
 * nobody is signed in has nothing to lose, and is loaded anew by itself.
 */
async function lookForUpdate(isRepeated: boolean): Promise<string> {
  const answers = await compare();
  if (!isUpdated.peek()) {
    if (!answers) return t("The router is not responding.");
    return isRepeated
      ? t("This part could not be loaded. Reload the page.")
      : t("This part could not be loaded. Try again.");
  }
  if (stage.peek() !== "in") location.reload();
  return t("The web interface was updated. Reload the page.");
}

/** Compares the page with that of the router. Answers whether the router gave its page. */
async function compare(): Promise<boolean> {
  if (isUpdated.peek()) return true;
  try {
    const answer = await fetch("/admin", { cache: "no-store" });
    const page = answer.ok ? await answer.text() : "";
    if (!page.includes('<script type="module"')) return false;
    isUpdated.value = !filesOfPage().every((file) => page.includes(file));
    return true;
  } catch {
    return false; // The router does not respond.
  }
}

/** Offers to load the page anew once the router has another version of it. */
export function UpdateBanner(): VNode {
  return (
    <div class="banner" role="alert">
      <Icon name="alert" />
      <p>
        <b>{t("The web interface was updated.")}</b>
      </p>
      <button class="btn primary" type="button" onClick={() => location.reload()}>
        {t("Reload")}
      </button>
    </div>
  );
}

lookAfterFailure(lookForUpdate);
