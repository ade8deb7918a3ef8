import assert from "node:assert/strict";
import type { Page } from "playwright";
import { onRouter } from "../../kit/browser/real_stage.ts";
import { DEMO, fillHome } from "../../kit/builders/demo_home.ts";

interface Loaded {
  readonly path: string;
  /** Bytes on the wire with the headers of the answer. */
  readonly bytes: number;
}

/** Loads an address with an empty cache, and lists what came until `until` was there. */
async function loaded(page: Page, address: string, until: string): Promise<readonly Loaded[]> {
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

const sum = (all: readonly Loaded[]) => all.reduce((bytes, one) => bytes + one.bytes, 0);
const listed = (all: readonly Loaded[]) =>
  all.map(({ path, bytes }) => `${bytes} ${path}`).join("\n");

Deno.test("a first visit takes 15 requests and 45 KB at most, and Home 15 requests and 68 KB", async () => {
  await onRouter({ ...DEMO, host: DEMO.host() }, async ({ open, router, later, origin, sitAt }) => {
    await fillHome(router, later);
    sitAt({ source: "192.168.2.10", local: null });
    const fresh = async (signIn: boolean) =>
      await loaded(
        await open({ path: "/favicon.ico", signIn }),
        `${origin}/admin`,
        signIn ? "attention" : "Sign in",
      );

    const first = await fresh(false);
    assert.ok(first.length <= 15, listed(first));
    assert.ok(sum(first) <= 45 * 1024, `${sum(first)} bytes:\n${listed(first)}`);

    const home = await fresh(true);
    assert.ok(home.length <= 15, listed(home));
    assert.ok(sum(home) <= 68 * 1024, `${sum(home)} bytes:\n${listed(home)}`);
  });
});
