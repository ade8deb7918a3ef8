import assert from "node:assert/strict";
import { denoArguments } from "../../../system/core/process/deno_arguments.ts";
import { MEMORY_REDUCER } from "../../../system/core/process/start_garbage.ts";
import {
  grantedPermissions,
  type Permissions,
  type ProcessDescriptor,
} from "../../../system/core/process/descriptor.ts";
import {
  type Environment,
  parseSettings,
  type Settings,
} from "../../../system/core/process/settings.ts";
import { PROCESSES, SERVICES } from "../../../system/processes.ts";

function settings(environment: Environment = {}): Settings {
  return parseSettings({ SLUICE_HOME: "/srv/s", ...environment }, {
    root: "/opt/s",
    attached: false,
    services: SERVICES,
  });
}

function process(name: string): ProcessDescriptor {
  const found = PROCESSES.find((entry) => entry.name === name);
  assert.ok(found);
  return found;
}

function permissionsOf(name: string, from: Settings = settings()): Permissions {
  return grantedPermissions(process(name), from);
}

function starting(environment: Environment): string[] {
  const from = settings(environment);
  return PROCESSES.filter(({ autostart }) => autostart(from)).map(({ name }) => name);
}

Deno.test("only the api starts when nothing is applied and no service is wanted", () => {
  assert.deepEqual(starting({ SLUICE_NETWORK: "off", SLUICE_SERVICES: "none" }), ["api"]);
});

Deno.test("demo mode starts the api and lookups: it installs nothing on the machine", () => {
  assert.deepEqual(starting({ SLUICE_NETWORK: "off" }), ["api", "lookup"]);
});

Deno.test("lookup has its folder and its socket: no network, no program, no native code", () => {
  const { read, write, net, run, ffi } = permissionsOf("lookup");
  assert.deepEqual(read, ["/opt/s", "/srv/s/state/lookup"]);
  assert.deepEqual(write, ["/srv/s/state/lookup"]);
  assert.deepEqual(net, ["unix:/srv/s/state/lookup/lookup_plugin"]);
  assert.deepEqual([run, ffi], [[], []]);
});

Deno.test("netd starts by itself only when the network is applied in any case", () => {
  const none = { SLUICE_SERVICES: "none" };
  assert.deepEqual(starting({ SLUICE_NETWORK: "on", ...none }), ["install", "netd", "api"]);
  assert.deepEqual(starting({ SLUICE_NETWORK: "auto", ...none }), ["api"]);
});

Deno.test("nothing is installed at a start of a machine whose network may be left alone", () => {
  assert.ok(!starting({ SLUICE_NETWORK: "auto" }).includes("install"));
  assert.ok(!starting({ SLUICE_NETWORK: "off" }).includes("install"));
});

Deno.test("dhcpd runs where it is chosen and the network may be applied, and sees one socket alone", () => {
  assert.ok(starting({ SLUICE_SERVICES: "dhcpd" }).includes("dhcpd"));
  assert.ok(!starting({ SLUICE_SERVICES: "dhcpd", SLUICE_NETWORK: "off" }).includes("dhcpd"));
  const permissions = permissionsOf("dhcpd");
  assert.deepEqual(permissions.write, [
    "/srv/s/state/dhcp/apisock",
    "/srv/s/state/dhcp",
  ]);
  assert.deepEqual([permissions.run, permissions.sys], [[], []]);
});

Deno.test("the api starts nothing but readers of the journal and of dpkg, and writes only below its home", () => {
  const permissions = permissionsOf("api");
  for (const path of permissions.run) assert.match(path, /\/(journalctl|dpkg-query)$/);
  assert.deepEqual(permissions.write, [
    "/srv/s/configs",
    "/srv/s/state",
    "/run/sluice/restart.sock",
    "/run/sluice/status.sock",
  ]);
});

Deno.test("uplinkd sees no configs, writes what pppd reads, and runs its own tools alone", () => {
  assert.ok(starting({ SLUICE_SERVICES: "uplinkd" }).includes("uplinkd"));
  assert.ok(!starting({ SLUICE_SERVICES: "uplinkd", SLUICE_NETWORK: "off" }).includes("uplinkd"));
  const permissions = permissionsOf("uplinkd");
  assert.deepEqual(permissions.write, ["/srv/s/state/uplink/socket", "/srv/s/state/uplink/ppp"]);
  assert.deepEqual(permissions.net, ["unix:/srv/s/state/uplink/socket", "127.0.0.1:80"]);
  for (const path of permissions.run) assert.match(path, /\/(udhcpc|pppd|curl|ps|kill)$/);
});

Deno.test("wireguard sees no configs, writes its own folder, and runs its own tools alone", () => {
  assert.ok(starting({ SLUICE_SERVICES: "wireguard" }).includes("wireguard"));
  assert.ok(
    !starting({ SLUICE_SERVICES: "wireguard", SLUICE_NETWORK: "off" }).includes("wireguard"),
  );
  const permissions = permissionsOf("wireguard");
  assert.deepEqual(permissions.write, [
    "/srv/s/state/wireguard/socket",
    "/srv/s/state/wireguard/tunnels",
  ]);
  assert.deepEqual(permissions.net, ["unix:/srv/s/state/wireguard/socket", "127.0.0.1:80"]);
  for (const path of permissions.run) assert.match(path, /\/(wg|wireguard-go|ip|getent)$/);
});

Deno.test("notifyd sees its socket alone, and runs nothing: it may only go out", () => {
  assert.ok(starting({ SLUICE_SERVICES: "notifyd" }).includes("notifyd"));
  assert.ok(!starting({ SLUICE_SERVICES: "notifyd", SLUICE_NETWORK: "off" }).includes("notifyd"));
  const { read, write, net, run, ffi, env, sys } = permissionsOf("notifyd");
  assert.deepEqual(read, ["/opt/s", "/srv/s/state/notify/socket"]);
  assert.deepEqual([write, net], [["/srv/s/state/notify/socket"], true]);
  assert.deepEqual([run, ffi, sys], [[], [], []]);
  assert.deepEqual(env.filter((name) => !name.startsWith("SLUICE_")), ["ECE_KEYLOG"]);
});

Deno.test("mesh sees its folder alone, and runs nothing: it may only go out", () => {
  assert.ok(starting({ SLUICE_SERVICES: "mesh" }).includes("mesh"));
  assert.ok(!starting({ SLUICE_SERVICES: "mesh", SLUICE_NETWORK: "off" }).includes("mesh"));
  const { read, write, net, run, ffi } = permissionsOf("mesh");
  assert.deepEqual(read, ["/opt/s", "/srv/s/state/mesh"]);
  assert.deepEqual([write, net], [["/srv/s/state/mesh"], true]);
  assert.deepEqual([run, ffi], [[], []]);
});

Deno.test("netd has no TCP, sees no configs and runs network tools alone", () => {
  const permissions = permissionsOf("netd");
  assert.deepEqual(permissions.net, [
    "unix:/srv/s/state/net/netd.sock",
    "unix:/run/docker.sock",
    "unix:/run/sluice/clock.sock",
    "unix:/run/sluice/settime.sock",
  ]);
  assert.deepEqual(permissions.write, [
    "/srv/s/state/net",
    "/run/docker.sock",
    "/run/sluice/clock.sock",
    "/run/sluice/settime.sock",
  ]);
  assert.ok(!permissions.read.some((path) => path.startsWith("/srv/s/configs")));
  for (const path of permissions.run) {
    assert.match(path, /\/(nft|ip|conntrack|sysctl|ss|ps|chronyc|timedatectl)$/);
  }
});

Deno.test("dnsd runs where it is chosen and the network may be applied, and sees its folder alone", () => {
  assert.ok(starting({ SLUICE_SERVICES: "dnsd" }).includes("dnsd"));
  assert.ok(!starting({ SLUICE_SERVICES: "dnsd", SLUICE_NETWORK: "off" }).includes("dnsd"));
  assert.ok(!starting({ SLUICE_SERVICES: "dhcpd" }).includes("dnsd"));
  const permissions = permissionsOf("dnsd");
  assert.deepEqual(permissions.read, ["/opt/s", "/srv/s/state/dns"]);
  assert.deepEqual([permissions.write, permissions.run], [["/srv/s/state/dns"], []]);
  const flags = denoArguments(process("dnsd"), settings()).filter((one) => one.includes("v8"));
  assert.deepEqual(flags, [
    `--v8-flags=--expose-gc,${MEMORY_REDUCER.join(",")},--max-semi-space-size=2`,
  ]);
});

Deno.test("a process that does not free the memory of its start has no collector exposed", () => {
  const flags = (name: string): readonly string[] =>
    denoArguments(process(name), settings(), undefined, false).filter((one) => one.includes("v8"));
  assert.deepEqual(flags("dnsd"), ["--v8-flags=--max-semi-space-size=2"]);
  assert.deepEqual(flags("install"), []);
});

Deno.test("the engine knows the flags that processes are started with", async () => {
  for (const { name, engineFlags } of PROCESSES) {
    if (engineFlags === undefined) continue;
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", `--v8-flags=${engineFlags.join(",")}`, ""],
    }).output();
    assert.ok(success, name);
    assert.equal(new TextDecoder().decode(stderr), "", name);
  }
});

Deno.test("plugind has its folder alone, and starts Deno, git and what lays links and looks at memory", () => {
  const { read, write, net, run, ffi } = permissionsOf("plugind");
  assert.deepEqual(read, ["/opt/s", "/srv/s/state/plugind"]);
  assert.deepEqual(write, ["/srv/s/state/plugind"]);
  assert.deepEqual(net, ["unix:/srv/s/state/plugind/control.sock"]);
  for (const path of run) assert.match(path, /\/(deno|git|setpriv|ln|ps)$/);
  assert.deepEqual(ffi, []);
});

Deno.test("no process but plugind may start a shell or Deno", () => {
  for (const { name } of PROCESSES.filter((one) => one.name !== "plugind")) {
    for (const path of permissionsOf(name).run) assert.doesNotMatch(path, /\/(sh|bash|deno|env)$/);
  }
});

Deno.test("arguments hold no secret, no prompt and no right that the descriptor does not name", () => {
  const from = settings({ SLUICE_ADMIN_PASSWORD: "hunter22", SLUICE_DATABASE_TOKEN: "token-1" });
  for (const entry of PROCESSES) {
    const args = denoArguments(entry, from);
    assert.doesNotMatch(args.join(" "), /hunter22|token-1/);
    assert.ok(args.includes("--no-prompt"));
    assert.ok(!args.includes("-A") && !args.includes("--allow-all"));
    const kinds = ["run", "ffi", "read", "write", "env"];
    // Upstream resolvers, receivers of alerts, leaf routers and hostapd's sockets have names that are not known at the start.
    for (
      const kind of ["dnsd", "notifyd", "wifid", "mesh"].includes(entry.name)
        ? kinds
        : [...kinds, "net"]
    ) {
      assert.ok(!args.includes(`--allow-${kind}`), `${entry.name} has all of ${kind}`);
    }
    assert.deepEqual(args.slice(-3), ["/opt/s/main.ts", entry.name, "--attached"]);
    const bundle = denoArguments(entry, { ...settings(), bundled: true }).at(-3);
    assert.equal(bundle, `/opt/s/dist/${entry.name}.js`);
  }
});

Deno.test("secrets go to the api alone", () => {
  const receivers = PROCESSES.filter(({ secrets }) => secrets).map(({ name }) => name);
  assert.deepEqual(receivers, ["api"]);
});

Deno.test("a comma in the home does not grant another folder", () => {
  const from = settings({ SLUICE_HOME: "/srv/a,/etc" });
  const args = denoArguments(process("netd"), from);
  assert.ok(
    args.includes(
      "--allow-write=/srv/a,,/etc/state/net,/run/docker.sock,/run/sluice/clock.sock," +
        "/run/sluice/settime.sock",
    ),
  );
});

Deno.test("the api may reach a remote database and this machine, no other host", () => {
  const from = settings({ SLUICE_DATABASE: "libsql://history.example:8443" });
  const { net } = permissionsOf("api", from);
  assert.ok(net !== true);
  const hosts = net.filter((grant) => !grant.startsWith("unix:"));
  assert.deepEqual(hosts, [
    "0.0.0.0:80",
    "0.0.0.0:443",
    "127.0.0.1:80",
    "127.0.0.1",
    "history.example:8443",
  ]);
});

Deno.test("each unit bounds the capabilities of its process, also to none", () => {
  for (const { name } of Deno.readDirSync("configs/systemd")) {
    if (!name.endsWith(".service")) continue;
    const text = Deno.readTextFileSync(`configs/systemd/${name}`);
    assert.match(text, /^CapabilityBoundingSet=/m, name);
  }
});
