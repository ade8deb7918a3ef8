import type { ComponentType, VNode } from "preact";
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import lazy from "preact-iso/lazy";
import { say } from "../../state/toast.ts";
import { homeTexts, pageTexts, t } from "../../text/language.ts";

/** Milliseconds after which what did not come is requested again. */
export const RETRY_DELAY_MS = 3000;
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

/** True once the router has another version of the page, so that files of this one are gone. */
export const isUpdated = signal(false);

/** Until the part is there that finds out more. */
const notResponding = (_isRepeated: boolean): Promise<string> =>
  Promise.resolve(t("The router is not responding."));

let look = notResponding;

/**
 * Sets what looks for an update when something did not come, and says why; it is a late part itself.
 * `isRepeated`: it did not come the time before either.
 */
export function lookAfterFailure(next: (isRepeated: boolean) => Promise<string>): void {
  look = next;
}

/** Looks, once something did not come, whether it is gone with an update; then {@link isUpdated} is true. */
export const lookForUpdate = (): Promise<string> => look(false);

/**
 * Says that nothing is shown yet, and the second time why, since another request may be in vain (see
 * {@link loadOnPress}); after an update the banner over the page says why.
 */
async function sayRetrying(isRepeated: boolean): Promise<void> {
  const why = await look(isRepeated);
  if (isUpdated.peek()) return;
  const isKnown = isRepeated && look !== notResponding;
  say({ text: isKnown ? why : t("The page did not load. Trying again.") });
}

/**
 * A part whose script comes when it is first shown, or soon after the first page, so that the first
 * page waits for none of it. Nothing is shown until it is there; it is requested until it comes.
 * `failed`: what happens when it did not come; default: the toast says so. `meanwhile`: what is shown
 * until it is there.
 */
export function lazyPart<P extends object>(
  load: Load<P>,
  needs: Needs = "all",
  failed: (isRepeated: boolean) => Promise<unknown> = sayRetrying,
  meanwhile: (props: P) => VNode | null = () => null,
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
      const ask = (isRepeated: boolean): void => {
        fetch().then(() => !gone && draw((count) => count + 1), () => {
          if (gone) return;
          void failed(isRepeated);
          timer = setTimeout(() => ask(true), RETRY_DELAY_MS);
        });
      };
      ask(false);
      return () => {
        gone = true;
        clearTimeout(timer);
      };
    }, []);
    const Part = part;
    return Part === null ? meanwhile(props) : <Part {...props} />;
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
  const there = async (isRepeated: boolean): Promise<{ default: ComponentType<P> }> => {
    try {
      // What its module names at once is in the language of the page.
      await loadNeeds(needs);
      return await load();
    } catch {
      void sayRetrying(isRepeated);
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
      return await there(true);
    }
  };
  return lazy(() => there(false));
}

/** True while the last press that needed a module did not get it. */
let pressFailed = false;

/**
 * Loads a module that the press of a button needs. Throws an Error whose message says why it did not
 * come, and what to do: its file is gone once the router was updated, and some browsers (Firefox before
 * 155) never request again what failed once, until the page is reloaded.
 */
export async function loadOnPress<T>(load: () => Promise<T>): Promise<T> {
  try {
    const loaded = await load();
    pressFailed = false;
    return loaded;
  } catch (cause) {
    const isRepeated = pressFailed;
    pressFailed = true;
    throw new Error(await look(isRepeated), { cause });
  }
}

/**
 * Fetches what is late once the page has nothing else to do, until all of it is there: a part that is
 * first shown when the router has moved, as the confirm window, can be loaded no more then.
 */
export function preloadParts(): () => void {
  let timer: ReturnType<typeof setTimeout>;
  let gone = false;
  const preload = async (wanted: readonly Load<never>[]): Promise<void> => {
    const results = await Promise.allSettled(wanted.map((load) => load()));
    const failed = wanted.filter((_, at) => results[at]?.status === "rejected");
    if (failed.length === 0) return;
    await look(false);
    if (!gone && !isUpdated.peek()) timer = setTimeout(() => void preload(failed), RETRY_DELAY_MS);
  };
  timer = setTimeout(() => void preload(loaders), PRELOAD_DELAY_MS);
  return () => {
    gone = true;
    clearTimeout(timer);
  };
}
