import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright";
import { HANGING } from "../pace.ts";
import { BUNDLED_VARIABLE } from "../run/bundle.ts";
import { clickMovingPages, watchPresses } from "./moving_page.ts";
import { FakeApi, type FakeOptions } from "../fakes/fake_api.ts";
import { PASSWORD } from "../fakes/fake_access.ts";

const ARTIFACTS = fileURLToPath(new URL("../../artifacts/", import.meta.url));

/** Each page that is looked at reads all of it: its short form costs half as much as `axe.source`. */
const AXE = await Deno.readTextFile(
  new URL("axe.min.js", import.meta.resolve("axe-core")),
);

export const DESK = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };
/** Each width and each theme once: pages choose their layout by the one and their colours by the other. */
export const LOOKS = [{ size: DESK, dark: false }, { size: PHONE, dark: true }] as const;

/** Debian's Chromium without a window, quiet: it asks for nothing by itself. */
export const BROWSER = {
  executablePath: "/usr/bin/chromium-headless-shell",
  args: [
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
  ],
};

const WHOLE = "/usr/bin/chromium";

// Outside of any test: one browser for all tests of a process.
const shared = await sharedBrowser();

// Outside of any test as well, since the builder keeps a process of its own for a moment. A run of
// whole layers has built the page before.
if (!Deno.env.has(BUNDLED_VARIABLE)) {
  const { buildUi } = await import("../../../ui/build.ts");
  const { rebuilt } = await buildUi({ ifChanged: true });
  if (rebuilt) await new Promise((done) => setTimeout(done, 500));
}

/** A browser in front of a router, real or not. */
export interface Viewer {
  readonly origin: string;
  readonly browser: Browser;
  /** A fresh browser with a page of this size and colours; fails the test on console errors. */
  open(options?: OpenOptions): Promise<Page>;
}

/** What a test of the pages works with. */
export interface Stage extends Viewer {
  readonly api: FakeApi;
}

export interface OpenOptions {
  readonly path?: string;
  readonly size?: { readonly width: number; readonly height: number };
  readonly dark?: boolean;
  /** False leaves the page at the gate; `page` goes through it as a person does. Default: by the API. */
  readonly signIn?: boolean | "page";
  /** What the browser prefers, the first most. Default: English. */
  readonly languages?: readonly string[];
}

/**
 * The browser that all tests of this process share. It is spoken to without a server between, which
 * would read and write each message once more; for that each process starts one, in a second.
 */
async function sharedBrowser(): Promise<Browser> {
  const browser = await openBrowser("shell");
  Deno.test.afterAll(() => browser.close());
  return browser;
}

/**
 * A browser for one test. The whole one has what the shell lacks, such as notifications, and takes twice
 * the time.
 */
function openBrowser(kind: "shell" | "whole"): Promise<Browser> {
  return chromium.launch(kind === "shell" ? BROWSER : { ...BROWSER, executablePath: WHOLE });
}

function preferLanguages(languages: readonly string[]): void {
  Object.defineProperty(navigator, "languages", { get: () => languages });
}

/** Runs a test with a browser and a fake router, and ends both. */
export async function onStage(
  options: FakeOptions,
  test: (stage: Stage) => Promise<void>,
): Promise<void> {
  const api = new FakeApi(options);
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, api.app().fetch);
  const origin = `http://127.0.0.1:${server.addr.port}`;
  try {
    await inBrowser({ origin, password: PASSWORD }, async (viewer) => {
      try {
        await test({ ...viewer, api });
      } finally {
        api.drop();
      }
    });
  } finally {
    await server.shutdown();
  }
}

/** Runs a test with a browser in front of the router at `origin`, and ends the browser. */
export async function inBrowser(
  router: { readonly origin: string; readonly password: string },
  test: (viewer: Viewer) => Promise<void>,
  kind: "shell" | "whole" = "shell",
): Promise<void> {
  const { origin, password } = router;
  const browser = kind === "shell" ? shared : await openBrowser(kind);
  const contexts: BrowserContext[] = [];
  const complaints: string[] = [];
  const open = async (wanted: OpenOptions = {}): Promise<Page> => {
    const context = await browser.newContext({
      viewport: wanted.size ?? DESK,
      colorScheme: wanted.dark ? "dark" : "light",
      reducedMotion: "reduce",
      hasTouch: wanted.size?.width === PHONE.width,
    });
    contexts.push(context);
    const { languages } = wanted;
    if (languages !== undefined) await context.addInitScript(preferLanguages, languages);
    await watchPresses(context);
    const page = await context.newPage();
    clickMovingPages(page);
    page.setDefaultTimeout(HANGING);
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      const text = message.text();
      if (message.type() === "error" && !text.startsWith("Failed to load resource")) {
        complaints.push(text);
      }
    });
    page.on("request", (request) => {
      if (!request.url().startsWith(origin)) complaints.push(`asked for ${request.url()}`);
    });
    if (wanted.signIn === undefined || wanted.signIn === true) {
      await openSession(context, { origin, password });
    }
    await page.goto(origin + (wanted.path ?? "/admin/devices"));
    if (wanted.signIn === "page") await signIn(page, password);
    return page;
  };
  try {
    await test({ origin, browser, open });
    assert.deepEqual(complaints, []);
  } catch (error) {
    const pages = contexts.flatMap((context) => context.pages());
    for (const [index, page] of pages.entries()) {
      // A page that hangs must not hide why.
      await keepPicture(page, `failed-${index}`).catch(() => {});
    }
    throw error;
  } finally {
    for (const context of contexts) await context.close();
    if (browser !== shared) await browser.close();
  }
}

/** Signs the browser in without its gate, which costs a page. */
async function openSession(
  context: BrowserContext,
  { origin, password }: { readonly origin: string; readonly password: string },
): Promise<void> {
  const bytes = new TextEncoder().encode(`admin:${password}`);
  const answer = await context.request.put(`${origin}/auth/login`, {
    headers: { Authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` },
  });
  assert.equal(answer.status(), 200, await answer.text());
  await answer.dispose();
}

/** Goes through the gate with the right password. */
export async function signIn(page: Page, password = PASSWORD): Promise<void> {
  await page.getByLabel("Name").fill("admin");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** No accessibility finding of axe on what is shown. */
export async function assertAccessible(page: Page): Promise<void> {
  if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(where: Node, options: { resultTypes: string[]; preload: boolean }): Promise<
          { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }
        >;
      };
    };
    // All else is inert behind a dialog, and was looked at before it opened.
    const where = document.activeElement?.closest("dialog:modal") ?? document;
    // Preloading is for sounds and films, which no page has, and reads each style sheet anew.
    return (await axe.run(where, { resultTypes: ["violations"], preload: false })).violations.map((
      { id, nodes },
    ) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join(" | ")}`);
  });
  assert.deepEqual(found, []);
}

/** The page scrolls in one direction only. */
export async function assertNoSidewaysScroll(page: Page): Promise<void> {
  const wide = await page.evaluate(() =>
    document.documentElement.scrollWidth - document.documentElement.clientWidth
  );
  assert.equal(wide, 0);
}

/** Keeps a picture for people to look at, in a run with `SLUICE_PICTURES` set. */
export async function picture(page: Page, name: string): Promise<void> {
  if (Deno.env.has("SLUICE_PICTURES")) await keepPicture(page, name);
}

async function keepPicture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${ARTIFACTS}${name}.png` });
}
