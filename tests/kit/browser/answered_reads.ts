import type { Page } from "playwright";

interface BatchEntry {
  readonly path: string;
  readonly status: number;
}

/**
 * Answers reads of a page in the router's place, by path, also those that it sends together with others;
 * undefined leaves one to the router.
 */
export async function answerReads(
  page: Page,
  answer: (path: string) => unknown,
): Promise<void> {
  const pathOf = (text: string): string => new URL(text, page.url()).pathname;
  await page.route("**/*", async (route) => {
    const url = route.request().url();
    if (pathOf(url) === "/batch") {
      const response = await route.fetch();
      const entries = await response.json() as readonly BatchEntry[];
      const json = entries.map((entry) => {
        const body = answer(pathOf(entry.path));
        return body === undefined ? entry : { ...entry, status: 200, body };
      });
      return await route.fulfill({ response, json });
    }
    const body = answer(pathOf(url));
    return body === undefined ? await route.fallback() : await route.fulfill({ json: body });
  });
}
