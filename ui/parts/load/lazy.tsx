import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import lazy from "preact-iso/lazy";
import { say } from "../../state/toast.ts";
import { homeTexts, pageTexts, t } from "../../text/language.ts";

/** Milliseconds after which a part that did not come is requested again. */
const RETRY_DELAY_MS = 3000;
/** Milliseconds after the first page in which what is late anyway is fetched. */
const PRELOAD_DELAY_MS = 1500;

type Load<P> = () => Promise<ComponentType<P>>;

/**
 * Which texts, styles and icons a part needs: those of the shell, which are there, those of Home besides,
 * or all.
 */
export type Needs = "shell" | "home" | "all";

async function loadNeeds(needs: Needs): Promise<void> {
  if (needs === "home") await homeTexts();
  // Their styles come before those of the part, as the cascade wants it.
  if (needs === "all") await Promise.all([pageTexts(), import("./rest.ts")]);
}

const loaders: Load<never>[] = [];

function sayRetrying(): void {
  say({ text: t("The page did not load. The router is not responding; trying again.") });
}

/**
 * A part whose script comes when it is first shown, or soon after the first page, so that the first
 * page waits for none of it. Nothing is shown until it is there; it is requested until it comes.
 */
export function lazyPart<P extends object>(
  load: Load<P>,
  needs: Needs = "all",
): ComponentType<P> {
  let part: ComponentType<P> | null = null;
  const fetch = async (): Promise<ComponentType<P>> => {
    await loadNeeds(needs);
    return part = await load();
  };
  loaders.push(fetch as unknown as Load<never>);
  return function Late(props: P): VNode | null {
    const [, draw] = useState(0);
    useEffect(() => {
      if (part !== null) return;
      let gone = false;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const ask = (): void => {
        fetch().then(() => !gone && draw((count) => count + 1), () => {
          if (gone) return;
          sayRetrying();
          timer = setTimeout(ask, RETRY_DELAY_MS);
        });
      };
      ask();
      return () => {
        gone = true;
        clearTimeout(timer);
      };
    }, []);
    const Part = part;
    return Part === null ? null : <Part {...props} />;
  };
}

/**
 * A page of the router, whose script comes when it is gone to; it is requested until it comes, since a
 * router that restarts at that moment would leave nothing to be seen for good.
 */
export function lazyPage<P>(
  load: () => Promise<{ default: ComponentType<P> }>,
  needs: Needs = "all",
): ComponentType<P> {
  const there = async (): Promise<{ default: ComponentType<P> }> => {
    try {
      // What its module names at once is in the language of the page.
      await loadNeeds(needs);
      return await load();
    } catch {
      sayRetrying();
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
      return await there();
    }
  };
  return lazy(there);
}

/** Fetches what is late once the page has nothing else to do; what fails comes when it is shown. */
export function preloadParts(): () => void {
  const timer = setTimeout(() => {
    for (const load of loaders) load().catch(() => {});
  }, PRELOAD_DELAY_MS);
  return () => clearTimeout(timer);
}
