import assert from "node:assert/strict";
import {
  PROCESSES,
  type ProcessName,
  processTable,
} from "../../../system/core/process/processes.ts";
import { parseSettings, SECRET_VARIABLES } from "../../../system/core/process/settings.ts";
import { denoArguments } from "../../../system/core/process/deno_arguments.ts";

const UNITS = new URL("../../../configs/systemd/", import.meta.url);
const MANUAL = new URL("../../../docs/operating.md", import.meta.url);
const SETTINGS = parseSettings({ SLUICE_HOME: "/var/lib/sluice" }, {
  root: "/opt/sluice",
  attached: false,
});
const NAMES = PROCESSES.filter((name) => name !== "install");

/** Settings of a unit: every value of each name, its continued lines joined. */
async function unit(file: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const text = (await Deno.readTextFile(new URL(file, UNITS))).replaceAll(/\\\n\s*/g, "");
  const values = new Map<string, string[]>();
  for (const line of text.split("\n").filter((line) => /^[A-Za-z]+=/.test(line))) {
    const at = line.indexOf("=");
    const name = line.slice(0, at);
    values.set(name, [...values.get(name) ?? [], line.slice(at + 1)]);
  }
  return values;
}

async function command(name: ProcessName): Promise<readonly string[]> {
  return (await unit(`sluice-${name}.service`)).get("ExecStart")![0]!.split(/\s+/);
}

Deno.test("each process is started by its unit as by the launcher, rights aside", async () => {
  for (const name of NAMES) {
    const description = processTable(SETTINGS).find((one) => one.name === name)!;
    const plain = (args: readonly string[]) =>
      args.filter((arg) => arg.startsWith("--") && !/^--(?:allow-|config=|attached)/.test(arg));
    const started = await command(name);
    assert.deepEqual(
      new Set(plain(started)),
      new Set(plain(denoArguments(description, SETTINGS))),
      name,
    );
    assert.deepEqual(started.slice(-2), ["main.ts", name]);
  }
});

Deno.test("a unit lets its process start every tool of the table, each from one folder", async () => {
  for (const name of NAMES) {
    const { run } = processTable(SETTINGS).find((one) => one.name === name)!.permissions;
    const tools = new Set(run.map((path) => path.slice(path.lastIndexOf("/") + 1)));
    const granted = (await command(name)).find((arg) => arg.startsWith("--allow-run="));
    const paths = granted?.slice("--allow-run=".length).split(",") ?? [];
    for (const tool of tools) {
      assert.ok(paths.some((path) => path.endsWith(`/${tool}`)), `${name} may not start ${tool}`);
    }
    for (const path of paths) assert.match(path, /^\/usr\/s?bin\/[a-z]+$/);
  }
});

Deno.test("secrets of the settings reach the api alone, and every process is tried for ever", async () => {
  for (const name of NAMES) {
    const settings = await unit(`sluice-${name}.service`);
    const unset = settings.get("UnsetEnvironment")?.join(" ").split(" ") ?? [];
    assert.deepEqual(unset, name === "api" ? [] : [...SECRET_VARIABLES], name);
    assert.deepEqual(settings.get("StartLimitIntervalSec"), ["0"], name);
    assert.deepEqual(settings.get("PartOf"), ["sluice.target"], name);
  }
});

Deno.test("the one whose library asks for the machine's links may, wherever it runs", async () => {
  // libsql, of which the api and dnsd each have one.
  for (const name of ["api", "dnsd"] as const) {
    const families = (await unit(`sluice-${name}.service`)).get("RestrictAddressFamilies");
    assert.ok(families?.[0]?.split(" ").includes("AF_NETLINK"), name);
  }
});

Deno.test("the manual enables and removes every unit that there is", async () => {
  const text = (await Deno.readTextFile(MANUAL)).replaceAll(
    /(\S*)\{([a-z,]+)\}(\S*)/g,
    (_, before, names, after) =>
      names.split(",").map((name: string) => `${before}${name}${after}`).join(" "),
  );
  const lines = (verb: string) =>
    text.split("\n").find((line) => line.startsWith(`systemctl ${verb} --now`))?.split(" ") ?? [];
  for await (const { name } of Deno.readDir(UNITS)) {
    if (!/\.(service|socket|target)$/.test(name) || name.includes("@")) continue;
    assert.ok(lines("enable").includes(name), `${name} is not enabled`);
    assert.ok(lines("disable").includes(name), `${name} is not disabled`);
  }
});

Deno.test("the unit that tells which processes run asks for each of them", async () => {
  const asks = (await unit("sluice-status@.service")).get("ExecStart")![0]!.split(/\s+/);
  const units = asks.filter((word) => word.endsWith(".service"));
  assert.deepEqual(new Set(units), new Set(NAMES.map((name) => `sluice-${name}.service`)));
  const properties = asks.find((word) => word.startsWith("--property="))!;
  for (
    const name of ["Id", "LoadState", "ActiveState", "SubState", "MainPID", "StateChangeTimestamp"]
  ) {
    assert.ok(properties.split(/[=,]/).includes(name), name);
  }
  assert.ok(asks.includes("--timestamp=unix"));
});

Deno.test("users have descriptions that the list of users can hold", async () => {
  const text = await Deno.readTextFile(new URL("sluice.sysusers.conf", UNITS));
  const descriptions = [...text.matchAll(/^u \S+ \S+ "([^"]*)"/gm)].map(([, words]) => words!);
  assert.equal(descriptions.length, 5);
  for (const words of descriptions) assert.doesNotMatch(words, /[:\n]/);
});
