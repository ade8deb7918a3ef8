import type { Page } from "playwright";

/** Opens the preview of what was edited on a device's page. */
export async function reviewEdits(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Review \d+ change/ }).click();
}

/** Waits until nothing that was edited on a device's page is left to apply. */
export async function editsApplied(page: Page): Promise<void> {
  await page.getByText("Not applied yet").waitFor({ state: "detached" });
}
