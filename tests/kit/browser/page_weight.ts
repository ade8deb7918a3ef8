import type { Page } from "playwright";

/** Something that a page loaded. */
export interface Loaded {
  readonly path: string;
  /** Bytes on the wire with the headers of the answer. */
  readonly bytes: number;
}

/** Loads an address with an empty cache, and lists what came until `until` was there. */
export async function loaded(
  page: Page,
  address: string,
  until: string,
): Promise<readonly Loaded[]> {
  const session = await page.context().newCDPSession(page);
  const paths = new Map<string, string>();
  const all: Loaded[] = [];
  session.on("Network.requestWillBeSent", ({ requestId, request }) => {
    paths.set(requestId, new URL(request.url).pathname);
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    all.push({ path: paths.get(requestId) ?? "", bytes: encodedDataLength });
  });
  await session.send("Network.enable");
  // What browsers send to a router without TLS.
  const headers = { "Accept-Encoding": "gzip" };
  await session.send("Network.setExtraHTTPHeaders", { headers });
  // Without what is fetched once the page has nothing else to do.
  await page.addInitScript(() => {
    const soon = globalThis.setTimeout;
    const later = ((act: () => void, delay = 0) => delay > 1000 ? 0 : soon(act, delay)) as unknown;
    globalThis.setTimeout = later as typeof setTimeout;
  });
  await page.goto(address, { waitUntil: "load" });
  await page.getByRole("heading", { name: until }).waitFor();
  await page.waitForLoadState("networkidle");
  return all;
}

/** Bytes of all together. */
export function weightOf(all: readonly Loaded[]): number {
  return all.reduce((bytes, one) => bytes + one.bytes, 0);
}

/** What came, a line each. */
export function listed(all: readonly Loaded[]): string {
  return all.map(({ path, bytes }) => `${bytes} ${path}`).join("\n");
}
