import assert from "node:assert/strict";
import type { Locator, Page } from "playwright";

/** Most presses of Tab on the way to anything on a page. */
const FAR = 80;

/** Goes with Tab to an element, as someone without a pointer does; fails where that leads nowhere. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  const here = (element: Element) => element === document.activeElement;
  for (let presses = 0; presses < FAR; presses++) {
    if (await target.evaluate(here)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not lead to ${target}`);
}

/** Goes to a field and types into it in the place of what is there. */
export async function typeInto(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.keyboard.type(text);
}

/** Goes to a button, a box or a radio and presses its key. */
export async function press(page: Page, target: Locator, key = "Enter"): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}
