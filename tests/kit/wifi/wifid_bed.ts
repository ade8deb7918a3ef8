import assert from "node:assert/strict";
import { FakeWifid } from "../fakes/fake_wifid.ts";
import { type TestRouter, testRouter, type TestRouterOptions, WIRED } from "../router.ts";

/** Configuration of a router with wires alone. */
export const WIRED_FILES = { "base/interfaces.json": [...WIRED] };

/** A router and a wifid that remembers what it is asked. */
export interface WifidBed extends AsyncDisposable {
  readonly router: TestRouter;
  readonly wifid: FakeWifid;
  put(path: string, body?: unknown, status?: number): Promise<string>;
}

/** A wired router beside a wifid with the radio wlan0. */
export async function wifidBed(
  options: Pick<TestRouterOptions, "now"> = {},
): Promise<WifidBed> {
  const router = await testRouter({ ...options, files: WIRED_FILES });
  const wifid = await new FakeWifid().listen(router.home);
  return {
    router,
    wifid,
    async put(path, body, status = 200) {
      const answer = await router.ask("PUT", path, body === undefined ? {} : { body });
      const text = await answer.text();
      assert.equal(answer.status, status, `${path}: ${text}`);
      return text;
    },
    async [Symbol.asyncDispose]() {
      await wifid[Symbol.asyncDispose]();
      await router[Symbol.asyncDispose]();
    },
  };
}
