import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import lazy from "preact-iso/lazy";
import { say } from "../../state/toast.ts";

/** Milliseconds after which a part that did not come is asked for again. */
const AGAIN = 3000;
/** Milliseconds after the first page in which what is late anyway is fetched. */
const IDLE = 1500;

type Load<P> = () => Promise<ComponentType<P>>;

const waiting: Load<never>[] = [];

function sayNotYet(): void {
  say({ text: "Not opened yet. The router does not answer; it is asked again." });
}

/**
 * A part whose script comes when it is first shown, or soon after the first page, so that the first
 * page waits for none of it. Nothing is shown until it is there; it is asked for until it comes.
 */
export function late<P extends object>(load: Load<P>): ComponentType<P> {
  let part: ComponentType<P> | null = null;
  const fetch = async (): Promise<ComponentType<P>> => part = await load();
  waiting.push(fetch as unknown as Load<never>);
  return function Late(props: P): VNode | null {
    const [, draw] = useState(0);
    useEffect(() => {
      if (part !== null) return;
      let gone = false;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const ask = (): void => {
        fetch().then(() => !gone && draw((count) => count + 1), () => {
          if (gone) return;
          sayNotYet();
          timer = setTimeout(ask, AGAIN);
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
 * A page of the router, whose script comes when it is gone to; it is asked for until it comes, since a
 * router that restarts at that moment would leave nothing to be seen for good.
 */
export function latePage<P>(load: () => Promise<{ default: ComponentType<P> }>): ComponentType<P> {
  const there = async (): Promise<{ default: ComponentType<P> }> => {
    try {
      return await load();
    } catch {
      sayNotYet();
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
      return await there();
    }
  };
  return lazy(there);
}

/** Fetches what is late once the page has nothing else to do; what fails comes when it is shown. */
export function fetchLate(): () => void {
  const timer = setTimeout(() => {
    for (const load of waiting) load().catch(() => {});
  }, IDLE);
  return () => clearTimeout(timer);
}
