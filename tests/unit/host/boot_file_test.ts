import assert from "node:assert/strict";
import { join } from "node:path";
import { BootFile } from "../../../system/host/kernel/boot_file.ts";
import { inFolder } from "../../kit/process.ts";
import { smallRuleset } from "../../kit/builders/small_ruleset.ts";

const RULESET = smallRuleset(["192.168.2.6", "lan0"]);

Deno.test("a failed write of the boot ruleset is retried", async () => {
  await inFolder(async (home) => {
    const path = join(home, "net/boot.nft");
    const complaints: string[] = [];
    // Where the folder should be lies a file, so that nothing can be written into it.
    await Deno.writeTextFile(join(home, "net"), "");
    const { promise: tried, resolve } = Promise.withResolvers<void>();
    let tries = 0;
    const file = new BootFile({
      path,
      ruleset: () => {
        if (++tries === 3) resolve();
        return RULESET;
      },
      onError: (message) => complaints.push(message),
      writeDelayMs: 0,
      retryDelayMs: 5,
    });
    file.changed();
    await tried;
    await Deno.remove(join(home, "net"));
    await file.flush();
    assert.equal(complaints.length, 1, complaints.join());
    for (let left = 200; left > 0; left--) {
      if (await Deno.stat(path).then(() => true, () => false)) break;
      await new Promise((go) => setTimeout(go, 5));
    }
    assert.match(await Deno.readTextFile(path), /table inet small/);
    await file.close();
  });
});

Deno.test("the boot ruleset is removed with the last table, and not written for an unknown ruleset", async () => {
  await inFolder(async (home) => {
    const path = join(home, "boot.nft");
    let ruleset: typeof RULESET | null = RULESET;
    const complain = (message: string) => assert.fail(message);
    const file = new BootFile({ path, ruleset: () => ruleset, onError: complain, writeDelayMs: 0 });
    file.changed();
    await file.flush();
    const text = await Deno.readTextFile(path);
    ruleset = null;
    file.changed();
    await file.flush();
    assert.equal(await Deno.readTextFile(path), text);
    ruleset = { tables: [] };
    file.changed();
    await file.close();
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
  });
});
