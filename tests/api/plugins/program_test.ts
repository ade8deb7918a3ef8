import assert from "node:assert/strict";
import { gzip } from "../../../system/backup/gzip.ts";
import { writeTar } from "../../../system/backup/tar.ts";
import { eventually } from "../../kit/eventually.ts";
import { otpOf } from "../../kit/otp.ts";
import { answered, inFolder, startProgram } from "../../kit/process.ts";
import { basic, PASSWORD, type TestRouter } from "../../kit/router.ts";

const SAMPLE = new URL("../../kit/plugins/sample/", import.meta.url);

Deno.test("the running program installs the sample, and every process has the permissions that it takes", async () => {
  await inFolder(async (home) => {
    await using program = startProgram({
      home,
      environment: { SLUICE_ADMIN_PASSWORD: PASSWORD },
    });
    await (await answered(program)).body?.cancel();
    const json = async <T>(method: string, path: string, sent: {
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    } = {}): Promise<T> => {
      const answer = await fetch(program.url + path, {
        method,
        headers: {
          authorization: basic(),
          "content-type": "application/json",
          ...sent.headers,
        },
        ...(sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }),
      });
      const text = await answer.text();
      assert.ok(answer.ok, `${path} ${answer.status} ${text}`);
      return JSON.parse(text);
    };
    const headers = await otpOf({ json } as unknown as TestRouter);
    const files = await Promise.all(
      ["plugin.json", "main.ts", "page.html"].map(async (path) => ({
        path,
        bytes: await Deno.readFile(new URL(path, SAMPLE)),
      })),
    );
    const Archive = (await gzip(writeTar(files, 0))).toBase64();
    const { hash } = await json<{ hash: string }>("PUT", "/plugin/review", {
      body: { Archive },
      headers,
    });
    await json("PUT", "/plugin/install", { body: { hash }, headers });
    const { count } = await eventually(
      "the plugin answers",
      () => json<{ count: number }>("GET", "/plugins/sample/count"),
    );
    assert.equal(count, 1);
    assert.doesNotMatch(program.log(), /NotCapable|Requires .* access/);
  });
});
