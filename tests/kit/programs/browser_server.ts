/**
 * One Chromium for a whole run of tests: prints where it listens and ends with its standard input. A
 * test that finds no such address in `SLUICE_TEST_BROWSER` starts a browser of its own.
 */
import { chromium } from "playwright";
import { BROWSER } from "../browser/browser_launch.ts";

const server = await chromium.launchServer(BROWSER);
await Deno.stdout.write(new TextEncoder().encode(`${server.wsEndpoint()}\n`));
for await (const _ of Deno.stdin.readable);
await server.close();
Deno.exit(0);
