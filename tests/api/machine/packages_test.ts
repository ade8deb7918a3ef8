import assert from "node:assert/strict";
import { openPackages, type PackagesOptions } from "../../../routes/composition/packages.ts";
import { Bus } from "../../../system/core/events/bus.ts";
import { openLog } from "../../../system/core/log/log.ts";
import type { ProcessStatus } from "../../../system/core/process/supervisor.ts";
import type { PackageList } from "../../../system/install/schema.ts";
import { PROCESSES, SERVICES } from "../../../system/processes.ts";
import { memoryHost } from "../../../system/host/memory/host.ts";
import { isRestrictive } from "../../../system/firewall/sets/transition.ts";
import { eventually } from "../../kit/eventually.ts";
import { testRouter } from "../../kit/router.ts";

type Preview = { readonly firstApply: Pick<PackageList, "installs" | "items"> | null };

/** A Debian machine that lacks some packages, until `install` has run. */
function machine(lacking: readonly string[], changes: Partial<PackagesOptions> = {}) {
  const lines: string[] = [];
  const notices: string[] = [];
  const events: unknown[] = [];
  const started: string[] = [];
  let missing = lacking;
  let mends = true;
  let runs = 0;
  const status = (): ProcessStatus => ({
    name: "install",
    state: runs > 0 ? "running" : "done",
    pid: null,
    since: 0,
    restarts: 0,
  });
  const bus = new Bus();
  bus.subscribe(({ data }) => void events.push(data), ["packages"]);
  const packages = openPackages({
    processes: PROCESSES,
    settings: { network: "auto", services: SERVICES, install: true },
    launcher: {
      start: (name) => {
        started.push(name);
        runs = 2;
        return Promise.resolve(status());
      },
      list: () => {
        runs--;
        if (runs <= 0 && mends) missing = [];
        return Promise.resolve([status()]);
      },
    },
    launchedByRoot: () => Promise.resolve(true),
    query: (names) =>
      Promise.resolve(
        names.filter((name) => !missing.includes(name))
          .map((name) => `${name} install ok installed`).join("\n"),
      ),
    notices: () => ({
      open: (kind, detail) => Promise.resolve(void notices.push(`${kind}: ${detail}`)),
      settle: (kind) => Promise.resolve(void notices.push(`settled ${kind}`)),
    }),
    bus,
    log: openLog({ process: "test", human: false, write: (line) => lines.push(line) }),
    ...changes,
  });
  const failsToInstall = (): void => void (mends = false);
  const installByHand = (): void => void (missing = []);
  return { packages, lines, notices, events, started, failsToInstall, installByHand };
}

const ever = new AbortController().signal;

/** A signal that ends what goes on after a test. */
function ending(): { readonly signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  return { signal: controller.signal, [Symbol.dispose]: () => controller.abort() };
}

Deno.test("GET /packages says what is needed, by whom, why, and whether it is there", async () => {
  const { packages } = machine(["wireguard-go"]);
  await using router = await testRouter({ machine: { packages } as never });
  const list = await router.json<PackageList>("GET", "/packages");
  assert.deepEqual([list.installs, list.installing], [true, false]);
  const needed = new Set(PROCESSES.flatMap(({ packages }) => packages.map(({ name }) => name)));
  assert.deepEqual(new Set(list.items.map(({ name }) => name)), needed);
  const missing = list.items.filter(({ installed }) => installed === false);
  assert.deepEqual(missing, [{
    name: "wireguard-go",
    installed: false,
    neededBy: [{ process: "wireguard", why: "carries VPN tunnels where the kernel does not" }],
  }]);
});

Deno.test("the preview of what first makes a network lists what is missing, and no other does", async () => {
  const { packages } = machine(["ppp"]);
  await using router = await testRouter({
    machine: { packages } as never,
    host: memoryHost({ isRestrictive, links: ["lan0", "wan0"] }),
    files: { "base/interfaces.json": [] },
  });
  const role = (Name: string, Type: string) => ({ body: { Name, Type, Enabled: true } });
  const preview = async (name: string, type: string): Promise<Preview["firstApply"]> =>
    (await router.json<Preview>("PUT", "/link/config?dryRun=true", role(name, type))).firstApply;
  assert.equal(await preview("wan0", "Uplink"), null);
  assert.equal((await router.ask("PUT", "/link/config", role("wan0", "Uplink"))).status, 200);
  const first = await preview("lan0", "Downlink");
  assert.deepEqual([first?.installs, first?.items.map(({ name }) => name)], [true, ["ppp"]]);
});

Deno.test("demo mode needs nothing and asks nobody", async () => {
  const { packages, started } = machine(["nftables"], {
    settings: { network: "off", services: SERVICES, install: true },
    query: () => Promise.reject(new Error("asked")),
  });
  assert.deepEqual(await packages.list(), { items: [], installs: false, installing: false });
  assert.equal(await packages.missing(), null);
  await packages.bring(false, ever);
  assert.deepEqual(started, []);
});

Deno.test("the network waits until what was missing is installed, and pages hear of it", async () => {
  const { packages, started, notices, events } = machine(["nftables"]);
  await packages.bring(false, ever);
  assert.deepEqual(started, ["install"]);
  assert.deepEqual(events, [{ installing: true }, { installing: false }]);
  assert.deepEqual(notices, ["settled packages-missing"]);
  await packages.bring(true, ever);
  assert.deepEqual(started, ["install"], "nothing is missing any more");
});

Deno.test("what could not be installed is a notice with its name, its process and the command", async () => {
  const { packages, notices, failsToInstall } = machine(["ppp", "iw"]);
  using end = ending();
  failsToInstall();
  await packages.bring(false, end.signal);
  assert.equal(notices.length, 1);
  assert.match(notices[0]!, /^packages-missing: .*ppp, for uplinkd: connects PPPoE accounts/);
  assert.match(notices[0]!, /iw, for wifid: .*"apt-get install ppp iw"/);
});

Deno.test("the notice goes once somebody has installed what was missing", async () => {
  const { packages, notices, failsToInstall, installByHand } = machine(["ppp"], {
    recheckInterval: 10,
  });
  using end = ending();
  failsToInstall();
  await packages.bring(false, end.signal);
  installByHand();
  await eventually(
    "the notice is settled",
    () => assert.ok(notices.includes("settled packages-missing")),
  );
});

Deno.test("a router that worked before does not wait for a package that its rules need not", async () => {
  const waiting = Promise.withResolvers<never>();
  const stuck = { start: () => waiting.promise, list: () => waiting.promise };
  const { packages } = machine(["iw"], { launcher: stuck });
  using end = ending();
  await packages.bring(true, end.signal);
  assert.equal((await packages.list()).installing, true);
  end[Symbol.dispose]();
  waiting.reject(new Error("over"));
});

Deno.test("where the network is applied in any case, the launcher started the installation", async () => {
  const { packages, started } = machine(["iw"], {
    settings: { network: "on", services: SERVICES, install: true },
  });
  using end = ending();
  await packages.bring(false, end.signal);
  assert.deepEqual(started, []);
});

Deno.test("without a launcher nothing waits, and the notice says what is missing", async () => {
  const gone = () => Promise.reject(new Error("no launcher"));
  const { packages, notices } = machine(["iw"], { launcher: { start: gone, list: gone } });
  using end = ending();
  await packages.bring(false, end.signal);
  assert.match(notices.join(), /Debian packages are missing: iw/);
});

Deno.test("the terminal names each package and why, and how to keep it away", async () => {
  const { packages, lines } = machine(["iw", "ppp"]);
  await packages.notify();
  const text = lines.join("\n");
  assert.match(text, /Sluice installs these Debian packages \(SLUICE_INSTALL=no/);
  assert.match(text, /iw, for wifid: describes radios/);
  assert.match(text, /ppp, for uplinkd: connects PPPoE accounts/);
});

for (
  const [why, changes] of [
    ["SLUICE_INSTALL=no", { settings: { network: "auto", services: SERVICES, install: false } }],
    ["no launcher of root", { launchedByRoot: () => Promise.resolve(false) }],
  ] as const
) {
  Deno.test(`with ${why} nothing promises to install, and the command is shown`, async () => {
    const { packages, lines } = machine(["iw"], changes);
    assert.equal((await packages.list()).installs, false);
    assert.equal((await packages.missing())?.installs, false);
    await packages.notify();
    assert.match(lines.join("\n"), /install these Debian packages: apt-get install iw/);
  });
}

Deno.test("where there is no dpkg nobody knows what is missing, and nothing is installed", async () => {
  const { packages, started, lines } = machine([], { query: () => Promise.resolve(null) });
  const { items } = await packages.missing() ?? { items: [] };
  assert.ok(items.length > 0 && items.every(({ installed }) => installed === null));
  await packages.notify();
  await packages.bring(false, ever);
  assert.deepEqual([started, lines], [[], []]);
});
