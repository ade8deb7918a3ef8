import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { say } from "../toast.ts";

/** Milliseconds after which a part that did not come is asked for again. */
const AGAIN = 3000;
/** Milliseconds after the first page in which what is late anyway is fetched. */
const IDLE = 1500;

type Load<P> = () => Promise<ComponentType<P>>;

const waiting: Load<never>[] = [];

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
          say({ text: "Not opened yet. The router does not answer; it is asked again." });
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

/** Fetches what is late once the page has nothing else to do; what fails comes when it is shown. */
export function fetchLate(): () => void {
  const timer = setTimeout(() => {
    for (const load of waiting) load().catch(() => {});
  }, IDLE);
  return () => clearTimeout(timer);
}
