import assert from "node:assert/strict";
import { denoArguments } from "../../../system/core/process/deno_arguments.ts";
import { SECRET_VARIABLES } from "../../../system/core/process/settings.ts";
import { systemdFiles, unitSettings } from "../../../system/core/process/unit_files.ts";
import { PROCESSES } from "../../../system/processes.ts";

const UNITS = new URL("../../../configs/systemd/", import.meta.url);
const MANUAL = new URL("../../../docs/operating.md", import.meta.url);
const WITH_UNIT = PROCESSES.filter(({ unit }) => unit !== null);
const NAMES = WITH_UNIT.map(({ name }) => name);
/** Files of the folder that belong to no process. */
const HAND_WRITTEN = ["sluice-boot.service", "closed.nft", "load_last.sh"];

Deno.test("units, users and folders are those of the process descriptors", async () => {
  const files = systemdFiles(PROCESSES);
  for (const [name, text] of Object.entries(files)) {
    assert.equal(
      await Deno.readTextFile(new URL(name, UNITS)),
      text,
      `${name} is out of date: run deno task units`,
    );
  }
  const found = await Array.fromAsync(Deno.readDir(UNITS), ({ name }) => name);
  assert.deepEqual(
    new Set(found),
    new Set([...Object.keys(files), ...HAND_WRITTEN]),
    "no file of a process that there is not any more",
  );
});

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

async function command(name: string): Promise<readonly string[]> {
  return (await unit(`sluice-${name}.service`)).get("ExecStart")![0]!.split(/\s+/);
}

Deno.test("a unit starts its process with the launcher's flags", async () => {
  for (const process of WITH_UNIT) {
    const [, ...started] = await command(process.name);
    const later = Object.keys(process.unit?.permissions ?? {});
    const comparable = (words: readonly string[]) =>
      words.filter((word) => !later.some((kind) => word.startsWith(`--allow-${kind}`)));
    const launched = denoArguments(process, unitSettings(process)).filter((word) =>
      word !== "--attached"
    );
    assert.deepEqual(comparable(started), comparable(launched), process.name);
    const other = process.name === "plugind" ? ["run"] : [];
    if (process.name !== "api") assert.deepEqual(later, other, process.name);
  }
});

Deno.test("each unit is sandboxed as far as its process allows", async () => {
  const values = async (name: string, setting: string) =>
    (await unit(`sluice-${name}.service`)).get(setting)?.join(" ");
  for (const name of NAMES) {
    for (const setting of ["NoNewPrivileges", "ProtectHome", "PrivateTmp", "RestrictNamespaces"]) {
      assert.equal(await values(name, setting), "yes", `${name} ${setting}`);
    }
    assert.equal(await values(name, "ProtectSystem"), "strict", name);
    assert.equal(await values(name, "SystemCallFilter"), "@system-service", name);
    const others = ["netd", "uplinkd", "wifid"].includes(name) ? undefined : "invisible";
    assert.equal(await values(name, "ProtectProc"), others, name);
    const tunables = name === "netd" ? undefined : "yes";
    assert.equal(await values(name, "ProtectKernelTunables"), tunables, name);
  }
  assert.equal(await values("uplinkd", "DeviceAllow"), "/dev/ppp rw");
});

Deno.test("systemd takes signs of life from each process, and kills one that gives none", async () => {
  for (const name of NAMES) {
    const settings = await unit(`sluice-${name}.service`);
    // Only root may make it anew; the process alone writes there.
    assert.deepEqual(settings.get("RuntimeDirectory"), [`sluice-${name}`], name);
    assert.deepEqual(settings.get("RuntimeDirectoryMode"), ["0700"], name);
    assert.deepEqual(settings.get("NotifyAccess"), ["main"], name);
    assert.deepEqual(settings.get("WatchdogSignal"), ["SIGKILL"], name);
    const words = await command(name);
    assert.equal(words.at(-1), `--watchdog=/run/sluice-${name}/watchdog`);
    for (const kind of ["read", "write"]) {
      const paths = words.find((word) => word.startsWith(`--allow-${kind}=`))!.split(/[=,]/);
      assert.ok(paths.includes("/run/systemd/notify"), `${name} ${kind}`);
    }
  }
});

Deno.test("secret settings reach the api alone, and every process restarts without a limit", async () => {
  for (const name of NAMES) {
    const settings = await unit(`sluice-${name}.service`);
    const unset = settings.get("UnsetEnvironment")?.join(" ").split(" ") ?? [];
    assert.deepEqual(unset, name === "api" ? [] : [...SECRET_VARIABLES], name);
    assert.deepEqual(settings.get("StartLimitIntervalSec"), ["0"], name);
    assert.deepEqual(settings.get("PartOf"), ["sluice.target"], name);
  }
});

Deno.test("nobody but root can put another folder in the place of one below the home", async () => {
  const lines = (await Deno.readTextFile(new URL("sluice.tmpfiles.conf", UNITS))).split("\n")
    .filter((line) => line.startsWith("d ")).map((line) => line.split(" "));
  const folders = new Map(
    lines.map(([, path = "", mode = "", user, group]) => [path, { mode, user, group }]),
  );
  // As the launcher makes them (shared_home.ts): what the api and netd have in `state` is their own.
  assert.deepEqual(folders.get("/var/lib/sluice"), { mode: "0751", user: "root", group: "root" });
  assert.deepEqual(folders.get("/var/lib/sluice/state"), {
    ...{ mode: "1771", user: "root", group: "sluice" },
  });
  assert.deepEqual(folders.get("/var/lib/sluice/state/net"), {
    ...{ mode: "3770", user: "sluice-netd", group: "sluice-net" },
  });
  // systemd-tmpfiles refuses to pass from a folder of one user into that of another (tmpfiles.d(5)).
  for (const [path, { user }] of folders) {
    const above = folders.get(path.replace(/\/[^/]*$/, ""));
    assert.ok(above === undefined || [user, "root"].includes(above.user), path);
  }
});

Deno.test("a process whose libraries list interfaces may open netlink sockets", async () => {
  // libsql, of which the api and dnsd each have one.
  for (const name of ["api", "dnsd"]) {
    const families = (await unit(`sluice-${name}.service`)).get("RestrictAddressFamilies");
    assert.ok(families?.[0]?.split(" ").includes("AF_NETLINK"), name);
  }
});

Deno.test("the manual enables and removes every unit", async () => {
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

Deno.test("the unit that lists the state of the processes names each of them", async () => {
  const command = (await unit("sluice-status@.service")).get("ExecStart")![0]!.split(/\s+/);
  const units = command.filter((word) => word.endsWith(".service"));
  assert.deepEqual(new Set(units), new Set(NAMES.map((name) => `sluice-${name}.service`)));
  const properties = command.find((word) => word.startsWith("--property="))!;
  for (
    const name of ["Id", "LoadState", "ActiveState", "SubState", "MainPID", "StateChangeTimestamp"]
  ) {
    assert.ok(properties.split(/[=,]/).includes(name), name);
  }
  assert.ok(command.includes("--timestamp=unix"));
});

Deno.test("users have descriptions that passwd(5) allows", async () => {
  const text = await Deno.readTextFile(new URL("sluice.sysusers.conf", UNITS));
  const descriptions = [...text.matchAll(/^u \S+ \S+ "([^"]*)"/gm)].map(([, label]) => label!);
  assert.equal(
    descriptions.length,
    WITH_UNIT.filter(({ unit }) => unit?.account.user !== "root").length,
  );
  for (const label of descriptions) assert.doesNotMatch(label, /[:\n]/);
});

Deno.test("the manual lists each package with the process that needs it and what for", async () => {
  const [, section = ""] = (await Deno.readTextFile(MANUAL)).split("\n## Debian packages\n");
  const [table = ""] = section.split("\n## ");
  const rows = table.split("\n").filter((line) => line.startsWith("| ")).slice(2)
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
  const needs = PROCESSES.flatMap(({ name, packages }) =>
    packages.map((needed) => [needed.name, name, needed.reason])
  );
  assert.deepEqual(rows, needs);
});

Deno.test("the README names every package that a process needs, and the setting", async () => {
  const text = await Deno.readTextFile(new URL("../../../README.md", import.meta.url));
  const [, section = ""] = text.split("\n## Requirements\n");
  const [requirements = ""] = section.split("\n## ");
  const label = new Set(requirements.match(/[\w-]+/g));
  for (const { name } of PROCESSES.flatMap(({ packages }) => packages)) {
    assert.ok(label.has(name), name);
  }
  assert.ok(label.has("SLUICE_INSTALL"));
});

Deno.test("the manual installs every package that a process needs", async () => {
  const line = (await Deno.readTextFile(MANUAL)).split("\n")
    .find((text) => text.startsWith("apt-get install "));
  const installed = new Set(line?.split(" ").slice(2));
  const needed = new Set(PROCESSES.flatMap(({ packages }) => packages).map(({ name }) => name));
  assert.deepEqual(installed, needed);
});
