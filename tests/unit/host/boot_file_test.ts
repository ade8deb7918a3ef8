import assert from "node:assert/strict";
import { renderBlocked } from "../../../system/core/kernel/nft/blocked_text.ts";
import { join } from "node:path";
import { BootFile } from "../../../system/host/kernel/boot_file.ts";
import { stepToWire, WireStep } from "../../../system/host/kernel/netd_wire.ts";
import { renderElementLine, renderLoad } from "../../../system/core/kernel/nft/text.ts";
import { marksTable } from "../../../system/firewall/sets/marks.ts";
import { mayNarrow } from "../../../system/host/kernel/narrowing.ts";
import type { RulesetOp } from "../../../system/core/kernel/plan.ts";
import { inFolder } from "../../kit/process.ts";
import { smallRuleset } from "../../kit/builders/small_ruleset.ts";
import { networkPlanner } from "../../../system/network/planner.ts";
import { facts, seen, two } from "../../kit/lab/leased_uplinks.ts";

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
    const releasedMark = join(home, "released");
    const isReleased = () => Deno.stat(releasedMark).then(() => true, () => false);
    await Deno.writeTextFile(releasedMark, "");
    const file = new BootFile({
      ...{ path, releasedMark, ruleset: () => ruleset, onError: complain, writeDelayMs: 0 },
    });
    file.changed();
    await file.flush();
    const text = await Deno.readTextFile(path);
    assert.equal(await isReleased(), false);
    ruleset = null;
    file.changed();
    await file.flush();
    assert.equal(await Deno.readTextFile(path), text);
    assert.equal(await isReleased(), false);
    ruleset = { tables: [] };
    file.changed();
    await file.close();
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
    assert.equal(await isReleased(), true, "nothing is to be loaded at boot");
  });
});

Deno.test("a boot ruleset that cannot follow what was taken away is removed", async () => {
  await inFolder(async (home) => {
    const folder = join(home, "net"), path = join(folder, "boot.nft");
    const file = new BootFile({ path, ruleset: () => RULESET, onError: () => {} });
    file.changed();
    await file.flushNarrowed();
    assert.match(
      await Deno.readTextFile(path),
      /table inet small/,
      "it does not wait for the timer",
    );
    // The name that is staged under is a folder, so that nothing can be written.
    await Deno.mkdir(join(folder, ".boot.nft.boot.tmp/x"), { recursive: true });
    file.changed();
    await file.flushNarrowed();
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
    await file.close();
  });
});

Deno.test("changes of elements are appended, and the whole is written anew after many of them", async () => {
  await inFolder(async (home) => {
    const path = join(home, "boot.nft");
    let ruleset = RULESET;
    let rendered = 0;
    const file = new BootFile({
      path,
      ruleset: () => (rendered++, ruleset),
      onError: (message) => assert.fail(message),
    });
    file.changed();
    await file.flushNarrowed();
    const whole = await Deno.readTextFile(path);
    file.changed("delete element inet small peers { 192.168.2.6 }\n");
    file.changed("add element inet small peers { 192.168.2.7 }\n");
    await file.flushNarrowed();
    const lines = ["delete element inet small peers { 192.168.2.6 }"];
    lines.push("add element inet small peers { 192.168.2.7 }");
    assert.equal(await Deno.readTextFile(path), `${whole}${lines.join("\n")}\n`);
    assert.equal(rendered, 1);
    ruleset = smallRuleset(["192.168.2.8", "lan0"]);
    file.changed();
    file.changed("add element inet small peers { 192.168.2.9 }\n");
    await file.flushNarrowed();
    assert.match(await Deno.readTextFile(path), /192\.168\.2\.8/);
    assert.doesNotMatch(
      await Deno.readTextFile(path),
      /\nadd element/,
      "the ruleset has it already",
    );
    for (let n = 0; n <= 1024; n++) file.changed("add element inet small peers { 192.168.2.9 }\n");
    await file.flushNarrowed();
    assert.doesNotMatch(await Deno.readTextFile(path), /\nadd element/);
    await Deno.remove(path);
    file.changed("add element inet small peers { 192.168.2.9 }\n");
    await file.flushNarrowed();
    assert.match(await Deno.readTextFile(path), /table inet small/, "a lost file is written whole");
    await file.close();
  });
});

Deno.test("what is taken away before netd knows the rules in force removes the boot ruleset", async () => {
  await inFolder(async (home) => {
    const path = join(home, "boot.nft");
    await Deno.writeTextFile(path, "table inet filter {\n}\n");
    let ruleset: typeof RULESET | null = null;
    const onError = (message: string) => assert.fail(message);
    const file = new BootFile({ path, ruleset: () => ruleset, onError, writeDelayMs: 0 });
    file.changed("add element inet filter wan { 192.168.2.6 }\n");
    await file.flush();
    await Deno.stat(path);
    file.changed("delete element inet filter wan { 192.168.2.6 }\n");
    await file.flushNarrowed();
    await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
    ruleset = RULESET;
    file.changed();
    await file.flushNarrowed();
    assert.match(await Deno.readTextFile(path), /table inet small/);
    await file.close();
  });
});

Deno.test("the boot loads changes of elements behind the rules, as far as their lines are whole", async () => {
  await inFolder(async (home) => {
    const text = await Deno.readTextFile(new URL("../golden/small_home.nft", import.meta.url));
    const shape = { key: ["ipv4_addr", "ifname"] } as const;
    const elements = [{ key: ["192.168.2.6", "lan0"] }];
    const op = (op: "add-elements" | "delete-elements"): RulesetOp => ({
      ...{ op, family: "inet", table: "filter", set: "some-set", elements, shape },
    });
    const line = renderElementLine([op("add-elements"), op("delete-elements")])!;
    assert.ok(await accepts(home, text + line + line), line);
    assert.equal(await loaded(home, text + line), text + line);
    for (let length = 1; length < line.length; length++) {
      const cut = line.slice(0, length);
      assert.equal(await loaded(home, text + line + cut), text + line, cut);
    }
    // Blocks that were not written read as zeros.
    for (const [from, to] of [[0, line.length], [9, 30], [line.length - 1, line.length]] as const) {
      const holed = line.slice(0, from) + "\0".repeat(to - from) + line.slice(to);
      assert.equal(await loaded(home, text + line + holed + line), text + line, `${from} ${to}`);
    }
    const table = text.indexOf("table inet nat\n");
    assert.ok(table > 0);
    for (const cut of [text.slice(0, -3), text.slice(0, table + 3), text.slice(0, table + 10)]) {
      assert.equal(await loaded(home, cut), null, cut.slice(-20));
    }
    assert.equal(await loaded(home, text.replace("accept", "ac\0ept")), null);
    for (const other of ["inet other s { 1.2.3.4 }", 's { 1 }; include "/etc/shadow"']) {
      assert.equal(await accepts(home, `${text}add element ${other}\n`), false, other);
    }
    const interval = { ...op("add-elements"), shape: { ...shape, interval: true } } as RulesetOp;
    assert.equal(renderElementLine([op("add-elements"), interval]), null);
  });
});

Deno.test("only steps that give elements to sets do not narrow access", () => {
  const isRestrictive = (set: string) => set === "block";
  const op = (op: "add-elements" | "delete-elements", set: string): RulesetOp => ({
    op,
    family: "inet",
    table: "filter",
    set,
    elements: [],
  });
  const narrows = (...ops: RulesetOp[]) => mayNarrow({ kind: "ruleset", ops }, isRestrictive);
  assert.equal(narrows(op("add-elements", "wan"), op("delete-elements", "block")), false);
  assert.ok(narrows(op("add-elements", "wan"), op("delete-elements", "wan")));
  assert.ok(narrows(op("add-elements", "block")));
  assert.ok(narrows({ op: "delete-chain", family: "inet", table: "filter", chain: "x" }));
  assert.ok(mayNarrow({ kind: "load", ruleset: { tables: [] } }, isRestrictive));
});

const SCRIPT = new URL("../../../configs/systemd/load_last.sh", import.meta.url).pathname;

/** What the boot gives to nft of a ruleset of this text; null for nothing. */
async function loaded(home: string, text: string): Promise<string | null> {
  const path = join(home, "rules"), out = join(home, "out");
  await Deno.writeTextFile(path, text);
  await Deno.writeTextFile(join(home, "nft"), `#!/bin/sh\ncat >'${out}'\n`, { mode: 0o700 });
  const { success } = await new Deno.Command("sh", {
    args: [SCRIPT, path],
    env: { PATH: `${home}:${Deno.env.get("PATH")}` },
    stderr: "null",
  }).output();
  return success ? await Deno.readTextFile(out) : null;
}

/** Whether the boot would load a ruleset of this text. */
async function accepts(home: string, text: string): Promise<boolean> {
  const path = join(home, "rules");
  await Deno.writeTextFile(path, text);
  const args = [SCRIPT, "--check", path];
  return (await new Deno.Command("sh", { args, stderr: "null" }).output()).success;
}

Deno.test("the boot loads a ruleset that Sluice renders, and no other text", async () => {
  await inFolder(async (home) => {
    for (const name of ["every_rule", "small_home"]) {
      const golden = new URL(`../golden/${name}.nft`, import.meta.url);
      assert.ok(await accepts(home, await Deno.readTextFile(golden)), name);
    }
    const uplinks = ["wan0", "wan1"];
    const marks = marksTable({
      uplinks: uplinks.map((link, at) => ({
        ...{ link, mark: 200 + at, address: `203.0.113.${2 + at}`, weight: 1 + at },
      })),
      ...{ balance: "pair", links: uplinks, networks: ["192.168.2.0/24"] },
    });
    const small = await Deno.readTextFile(new URL("../golden/small_home.nft", import.meta.url));
    assert.ok(await accepts(home, small + renderLoad({ tables: [marks] })), "several uplinks");
    const blocked = { sources: [{ type: "country", key: "NZ" }], groups: [] } as const;
    assert.ok(await accepts(home, renderBlocked(blocked)), "blocked ranges");
    const table = (body: string, name = "inet filter") =>
      `table ${name}\ndelete table ${name}\ntable ${name} {\n  comment "sluice"\n${body}}\n`;
    const chain = (rule: string) => table(`  chain x {\n    ${rule}\n  }\n`);
    assert.ok(await accepts(home, table("")));
    assert.ok(await accepts(home, chain('accept comment "include; } the rest"')));
    const refused = [
      table("", "inet other"),
      table("", "ip6 filter"),
      table("", "inet nat"),
      `include "/etc/shadow"\n${table("")}`,
      `${table("")}flush ruleset\n`,
      "table inet filter\ndelete table inet filter\n",
      table("").slice(0, -2),
      table('  include "/etc/shadow"\n'),
      chain('include "/etc/shadow"'),
      chain('accept; include "/etc/shadow"'),
      chain("accept } }; flush ruleset; table inet filter { chain y {"),
      chain("define x = 1"),
      chain("accept $x"),
      chain('accept comment "open'),
      chain("accept # ignored"),
      chain("accept \\"),
    ];
    for (const text of refused) assert.equal(await accepts(home, text), false, text);
  });
});

Deno.test("the boot loads the rules of several uplinks, and those that log packets", async () => {
  await inFolder(async (home) => {
    for (const Log of ["off", "all"] as const) {
      const desired = networkPlanner().desire(two({ packetLog: { Log } }), seen(), facts());
      const names = desired.ruleset.tables.map(({ name }) => name);
      assert.deepEqual(names, ["filter", "nat", "accounting", "mangle"]);
      assert.ok(await accepts(home, renderLoad(desired.ruleset)), Log);
    }
  });
});

Deno.test("a step carries the types of set elements, so that netd can append them to the boot ruleset", () => {
  const element = { key: ["192.168.2.6", "lan0"], value: { kind: "accept" } } as const;
  const shape = { key: ["ipv4_addr", "ifname"], value: "verdict" } as const;
  const place = { family: "inet", table: "filter", set: "internet_access" } as const;
  const add: RulesetOp = { op: "add-elements", ...place, shape, elements: [element] };
  const ranges: RulesetOp = {
    ...{ ...add, set: "supernetworks", elements: [{ key: ["10.0.0.0/8"] }] },
    shape: { key: ["ipv4_addr"], interval: true },
  };
  const step = { kind: "ruleset", ops: [add, ranges] } as const;
  const received = WireStep.parse(JSON.parse(JSON.stringify(stepToWire(step))));
  assert.deepEqual(received, step);
  assert.ok(received.kind === "ruleset");
  assert.equal(
    renderElementLine(received.ops.slice(0, 1)),
    'add element inet filter internet_access { 192.168.2.6 . "lan0" : accept }\n',
  );
});
