import assert from "node:assert/strict";
import { download } from "../../../system/host/tools/download.ts";

/** A program in the place of curl. */
const instead = (script: string) => (_: string, options: Deno.CommandOptions) =>
  new Deno.Command("/bin/sh", { ...options, args: ["-c", script] }).spawn();

const request = {
  url: "http://192.0.2.1/x",
  link: "wan0",
  seconds: 0.1,
  bytes: 5000,
  killTimeoutSeconds: 0.1,
};

Deno.test("a download that does not end is killed, even when it ignores SIGTERM", async () => {
  for (const script of ["exec sleep 60", "trap '' TERM; while :; do echo xxxxxxxxxxxxxxx; done"]) {
    const { error } = await download({ ...request, spawn: instead(script) });
    assert.equal(error, "curl did not end and was stopped");
  }
});

Deno.test("a download succeeds when complete, long enough or large enough", async () => {
  const one = (script: string) => download({ ...request, seconds: 5, spawn: instead(script) });
  assert.deepEqual(
    (({ bytes, error }) => ({ bytes, error }))(await one("printf 12345")),
    { bytes: 5, error: "" },
  );
  assert.equal((await one("printf 12345; exit 28")).error, "");
  const large = await one("exec yes");
  assert.ok(large.bytes >= 5000 && large.error === "");
  assert.equal((await one("echo 'curl: (7) no way' >&2; exit 7")).error, "curl: (7) no way");
  assert.equal((await one("exit 28")).error, "curl ended with 28");
});
