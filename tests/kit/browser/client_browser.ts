import assert from "node:assert/strict";
import { chromium, type Page } from "playwright";
import { picture } from "./browser.ts";
import type { Lab } from "../lab/lab.ts";

/**
 * Runs a test with a page of a browser that is a client of the lab, with nothing but its network. The
 * page may ask the origins that are named; anything else, and any error in its console, fails the test.
 */
export async function inClient(
  where: { readonly lab: Lab; readonly client: string; readonly origins: readonly string[] },
  test: (page: Page) => Promise<void>,
): Promise<void> {
  const { lab, client, origins } = where;
  const program = await Deno.makeTempFile({ prefix: "sluice-browser-" });
  await Deno.writeTextFile(
    program,
    `#!/bin/sh\nexec ip netns exec ${lab.space(client)} /usr/bin/chromium-headless-shell "$@"\n`,
  );
  await Deno.chmod(program, 0o700);
  const browser = await chromium.launch({
    executablePath: program,
    args: ["--no-sandbox", "--disable-quic", "--disable-background-networking", "--no-first-run"],
  });
  const complaints: string[] = [];
  try {
    const page = await browser.newPage({ reducedMotion: "reduce" });
    page.setDefaultTimeout(15_000);
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      const text = message.text();
      if (message.type() === "error" && !text.startsWith("Failed to load resource")) {
        complaints.push(text);
      }
    });
    page.on("request", (request) => {
      if (!origins.includes(new URL(request.url()).origin)) {
        complaints.push(`asked for ${request.url()}`);
      }
    });
    try {
      await test(page);
    } catch (error) {
      await picture(page, "failed-client");
      throw error;
    }
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
    await Deno.remove(program);
  }
}
