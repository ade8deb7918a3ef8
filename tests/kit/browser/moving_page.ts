import type { BrowserContext, Locator, Page } from "playwright";

/** What {@link watchPresses} leaves in a page. */
interface Watched {
  /** What was pressed last, and whether a click came of it. */
  press?: { readonly on: Element; clicked: boolean };
}

/** Lets every page of the context know whether what is pressed is clicked, too. */
export async function watchPresses(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const watched = globalThis as Watched;
    addEventListener("mousedown", ({ target }) => {
      if (target instanceof Element) watched.press = { on: target, clicked: false };
    }, true);
    addEventListener("click", () => {
      if (watched.press) watched.press.clicked = true;
    }, true);
  });
}

/**
 * Whether the last press came to no click because the page moved its target from under the pointer,
 * as pages do while more is loaded above. False where the target itself is gone: a page that draws a
 * button anew while it is pressed loses a person's click.
 */
async function hasMoved(page: Page): Promise<boolean> {
  return await page.evaluate(() => {
    const { press } = globalThis as Watched;
    return press !== undefined && !press.clicked && press.on.isConnected;
  }).catch(() => false); // The click led elsewhere.
}

/**
 * Lets the clicks of a page's locators be given again when the page moved between press and release.
 * The machine that tests can take a second from the one to the other, in which more is loaded; a
 * person takes a tenth of it, and would press again.
 */
export function clickMovingPages(page: Page): void {
  const locators = Object.getPrototypeOf(page.locator("html")) as Locator & { steady?: true };
  if (locators.steady) return;
  const click = locators.click;
  locators.steady = true;
  locators.click = async function (this: Locator, options): Promise<void> {
    await click.call(this, options);
    if (await hasMoved(this.page())) await click.call(this, options);
  };
}
