import assert from "node:assert/strict";
import { join } from "node:path";
import plugin from "../lint/layers.ts";

const ROOT = join(import.meta.dirname ?? "", "../..");

function complaints(path: string, source: string): string[] {
  return Deno.lint.runPlugin(plugin, join(ROOT, path), source).map(({ id }) => id);
}

const REFUSED: readonly (readonly [string, string, string])[] = [
  [
    "system/firewall/trace/trace.ts",
    `import { app } from "../../../routes/app.ts";`,
    "layers/imports",
  ],
  ["system/firewall/trace/trace.ts", `import { Hono } from "hono";`, "layers/imports"],
  [
    "system/firewall/trace/trace.ts",
    `export { x } from "../../host/tools/run.ts";`,
    "layers/imports",
  ],
  ["system/firewall/trace/trace.ts", `export * from "../../network/service.ts";`, "layers/imports"],
  [
    "system/firewall/trace/trace.ts",
    `await import("../../host/kernel/linux.ts");`,
    "layers/imports",
  ],
  [
    "system/core/engine/engine.ts",
    `import { D } from "../../devices/schema.ts";`,
    "layers/imports",
  ],
  ["system/host/nft/compare.ts", `import { D } from "../../devices/schema.ts";`, "layers/imports"],
  [
    "system/host/tools/units.ts",
    `import type { D } from "../../devices/schema.ts";`,
    "layers/imports",
  ],
  ["system/devices/rules.ts", `import { readFileSync } from "node:fs";`, "layers/imports"],
  [
    "system/core/events/bus.ts",
    `import { kit } from "../../../tests/kit/app.ts";`,
    "layers/imports",
  ],
  ["routes/devices.ts", `import { run } from "../system/host/tools/run.ts";`, "layers/imports"],
  ["routes/devices.ts", `import { page } from "../ui/pages/home/page.tsx";`, "layers/imports"],
  ["ui/api/client.ts", `import { app } from "../../routes/app.ts";`, "layers/imports"],
  ["ui/pages/a/b.tsx", `import { X, type Y } from "../../../routes/app.ts";`, "layers/imports"],
  [
    "ui/api/client.ts",
    `import type { D } from "../../system/devices/schema.ts";`,
    "layers/imports",
  ],
  ["ui/parts/form/field.tsx", `import { X } from "../../pages/home/page.tsx";`, "layers/imports"],
  ["system/devices/rules.ts", `export const now = () => Date.now();`, "layers/pure"],
  ["system/dns/config/rules.ts", `export const now = () => Date.now();`, "layers/pure"],
  ["system/devices/groups/group_schema.ts", `export const d = () => new Date();`, "layers/pure"],
  ["system/devices/plan.ts", `export const r = () => Math.random();`, "layers/pure"],
  ["system/devices/plan.ts", `export const r = crypto.randomUUID();`, "layers/pure"],
  ["system/devices/plan.ts", `export const text = Deno.readTextFileSync("/x");`, "layers/pure"],
  ["system/devices/plan.ts", `export const page = fetch("http://127.0.0.1/");`, "layers/pure"],
  ["system/devices/plan.ts", `let last = 0;`, "layers/state"],
  ["system/devices/plan.ts", `export let last: number | null = null;`, "layers/state"],
  ["system/devices/plan.ts", `const known = new WeakMap();`, "layers/state"],
  ["system/devices/plan.ts", `const plan = memo((a) => a);`, "layers/state"],
  ["routes/devices.ts", `const board = new Board();`, "layers/state"],
  ["system/core/net/net.ts", `const a = [1]; export const f = () => a.push(2);`, "layers/state"],
  ["system/core/net/net.ts", `const a = { b: 1 }; export const f = () => a.b++;`, "layers/state"],
  ["system/core/net/net.ts", `const a = [{ b: 1 }]; a[0].b = 2;`, "layers/state"],
  ["system/devices/watch.ts", `new Deno.Command("/usr/bin/ip");`, "layers/commands"],
  ["system/devices/long.ts", "export const x = 1;\n".repeat(401), "layers/size"],
  ["ui/pages/dhcp/a.tsx", `export const a = <p>Two words</p>;`, "layers/texts"],
  ["ui/pages/dhcp/a.tsx", `export const a = <p>{on ? t("On") : "Off"}</p>;`, "layers/texts"],
  ["ui/pages/dhcp/a.tsx", `export const a = <input aria-label="Filter" />;`, "layers/texts"],
  ["ui/pages/dhcp/a.ts", "export const a = (b) => ({ text: `Not saved: ${b}` });", "layers/texts"],
  ["ui/pages/dhcp/a.ts", `export const a = () => "The lease ended.";`, "layers/texts"],
];

for (const [path, source, rule] of REFUSED) {
  Deno.test(`lint refuses ${source.split("\n")[0]} in ${path}`, () => {
    assert.deepEqual(complaints(path, source), [rule]);
  });
}

const ACCEPTED: readonly (readonly [string, string])[] = [
  ["program.ts", `import { launch } from "./system/core/process/launcher.ts";`],
  ["main.ts", `import { runProgram } from "./program.ts";`],
  ["routes/devices.ts", `import { D } from "../system/devices/schema.ts";`],
  ["routes/devices.ts", `import { Hono } from "hono";`],
  ["routes/services/netd.ts", `import { linuxHost } from "../../system/host/kernel/linux.ts";`],
  ["system/network/service.ts", `import { linuxHost } from "../host/kernel/linux.ts";`],
  ["system/network/plan.ts", `import { D } from "../devices/schema.ts";`],
  ["system/host/nft/nft_binary.ts", `new Deno.Command("/usr/sbin/nft");`],
  ["system/host/nft/compare.ts", `import { net } from "../../core/net/net.ts";`],
  ["system/host/nft/compare.ts", `import { run } from "../tools/run.ts";`],
  ["system/core/process/launcher.ts", `new Deno.Command(Deno.execPath());`],
  ["system/core/engine/engine.ts", `export const now = Date.now();`],
  ["system/devices/plan.ts", `const NAMES = new Set(["a"]);`],
  ["system/devices/plan.ts", `const text = onceEach((device) => device.Name);`],
  ["system/devices/plan.ts", `const a = [1]; export const f = (a: number[]) => a.push(2);`],
  ["system/devices/plan.ts", `export const f = () => { let a = 1; a++; return a; };`],
  ["system/host/netlink/ffi.ts", `let library;`],
  ["ui/state/session.ts", `let waiting = 0;`],
  ["ui/api/client.ts", `import type { App } from "../../routes/app.ts";`],
  ["ui/api/client.ts", `import { type App } from "../../routes/app.ts";`],
  ["ui/build.ts", `import { routes } from "../routes/app.ts";`],
  ["tests/api/x_test.ts", `import { run } from "../../system/host/tools/run.ts";`],
  ["system/devices/long.ts", "export const x = 1;\n".repeat(400)],
  ["ui/pages/dhcp/a.tsx", `export const a = <p class="s quiet">{t("Two words")}</p>;`],
  ["ui/pages/dhcp/a.tsx", `export const a = <p><code>apt-get install</code> {name} Sluice</p>;`],
  ["ui/pages/dhcp/a.ts", `export const a = tn("{count} old lease", "{count} old leases", 2);`],
  ["ui/pages/dhcp/a.ts", `export const a = (b) => b.startsWith("This would lock you out");`],
  ["ui/pages/ui_parts/a.tsx", `export const a = <p>Two words</p>;`],
];

for (const [path, source] of ACCEPTED) {
  Deno.test(`lint accepts ${source.split("\n")[0]} in ${path}`, () => {
    assert.deepEqual(complaints(path, source), []);
  });
}
