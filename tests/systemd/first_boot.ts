import assert from "node:assert/strict";
import {
  api,
  apiReady,
  install,
  pidOf,
  pids,
  property,
  stepsOf,
  UNITS,
  write,
} from "../kit/systemd/installed_router.ts";
import { buildLab, INTERNET, PROVIDER } from "../kit/lab/lab.ts";
import { MAX_SILENCE_S } from "../../system/core/process/life_signs.ts";
import { PROCESSES } from "../../system/processes.ts";
import { eventually } from "../kit/lab/bed.ts";
import { command, must } from "../kit/lab/command.ts";
import { data, dig } from "../kit/lab/dig.ts";
import { containerPluginServes } from "./container_plugin.ts";
import { LEASED, leaseUplinks } from "../kit/lab/uplink_leases.ts";

const MAC = "02:00:00:00:0a:01";
const RESOLVER = "198.51.100.53";

/** Bits of Linux's capabilities (capability.h). */
const BITS: Readonly<Record<string, number>> = {
  CAP_KILL: 5,
  CAP_SETGID: 6,
  CAP_SETUID: 7,
  CAP_NET_BIND_SERVICE: 10,
  CAP_NET_ADMIN: 12,
  CAP_NET_RAW: 13,
};

/** The bits that each unit has. */
const CAPABILITIES = Object.fromEntries(
  PROCESSES.map(({ name, unit }) => [name, unit?.capabilities.map((one) => BITS[one]!) ?? []]),
);

/** Fields of a process's /proc/<pid>/status. */
async function statusOf(unit: string): Promise<ReadonlyMap<string, string>> {
  const text = await Deno.readTextFile(`/proc/${await pidOf(unit)}/status`);
  return new Map(
    text.split("\n").map((line) => {
      const [name = "", value = ""] = line.split(/:\s+/);
      return [name, value];
    }),
  );
}

/** Waits until every unit has another process than these. */
async function restarted(before: Readonly<Record<string, number>>): Promise<void> {
  await eventually("every process was restarted", async () => {
    const now = await pids();
    return UNITS.every((unit) => now[unit] !== 0 && now[unit] !== before[unit]);
  });
}

Deno.test("under systemd, an installed router serves its network, is supervised and restarted", async (t) => {
  const step = stepsOf(t);
  const lab = await buildLab({ name: "sd", clients: 1, here: true });
  try {
    await step(
      "the manual's commands install and start it without an error",
      async () => {
        const output = await install();
        assert.doesNotMatch(output, /not a valid|unknown|ignor|fail|cannot|couldn't|error/i);
        await apiReady();
        for (const unit of UNITS) {
          assert.equal(await property(`sluice-${unit}.service`, "ActiveState"), "active", unit);
        }
        const units = UNITS.map((unit) => `sluice-${unit}.service`);
        const verified = await command("systemd-analyze", ["verify", "sluice.target", ...units]);
        assert.equal(verified.stdout + verified.stderr, "");
        const rules = await must("journalctl", ["-q", "--no-pager", "-o", "cat", "_COMM=nft"]);
        assert.equal(rules, "", "no error about a ruleset that does not exist yet");
      },
    );

    await step("each process has a user of its own, minimal privileges and no secret", async () => {
      for (const unit of UNITS) {
        const status = await statusOf(unit);
        const user = await property(`sluice-${unit}.service`, "User");
        assert.equal(
          user,
          ["uplinkd", "wifid", "wireguard"].includes(unit)
            ? "root"
            : unit === "api"
            ? "sluice"
            : `sluice-${unit}`,
        );
        const uid = Number(await must("id", ["-u", user]));
        assert.deepEqual(status.get("Uid")?.split("\t").map(Number), [uid, uid, uid, uid], unit);
        const bits = CAPABILITIES[unit]!.reduce((sum, bit) => sum + 2 ** bit, 0);
        for (const set of ["CapEff", "CapBnd"]) {
          assert.equal(parseInt(status.get(set) ?? "", 16), bits, `${unit} ${set}`);
        }
        assert.equal(status.get("NoNewPrivs"), "1", unit);
        assert.equal(status.get("Seccomp"), "2", unit);
        const environment = await Deno.readTextFile(`/proc/${await pidOf(unit)}/environ`);
        assert.equal(/SLUICE_ADMIN_PASSWORD/.test(environment), unit === "api", unit);
      }
    });

    await step("configured interfaces are applied, and the uplink has a lease", async () => {
      leaseUplinks(lab);
      const link = (Name: string, Type: string) =>
        write("PUT", "/link/config", { Name, Type, Enabled: true });
      await link("wan0", "Uplink");
      await link(lab.clients[0]!.link, "Downlink");
      await apiReady("applied");
      assert.match(await must("nft", ["list", "tables"]), /table inet filter/);
      await eventually("the router is online", async () => {
        const routes = await must("ip", ["route", "show", "default"]);
        return routes.includes(`via ${PROVIDER} dev wan0`);
      });
      assert.match(await must("ip", ["address", "show", "dev", "wan0"]), LEASED);
    });

    await step("tools work within the privileges of their units", async () => {
      const ping = await api("PUT", `/ping/wan0/${PROVIDER}`);
      assert.equal(ping.status, 200, ping.text);
      assert.equal(ping.json.filter((word: string) => /\d/.test(word)).length, 4, ping.text);
      for (const path of ["/info/ss", "/info/vms", "/ip/addr", "/arp", "/info/dockernetworks"]) {
        const { status, text } = await api("GET", path);
        assert.equal(status, 200, `${path}: ${text}`);
      }
      await write("PUT", "/backup");
      const { Addresses, ...settings } = (await api("GET", "/multicastSettings")).json;
      const groups = Addresses.map((one: object) => ({ ...one, Disabled: false }));
      await write("PUT", "/multicastSettings", { ...settings, Addresses: groups });
      await eventually("multicast groups are joined", async () => {
        const shown = await must("ip", ["maddress", "show", "dev", lab.clients[0]!.link]);
        return shown.includes("224.0.0.251") && shown.includes("239.255.255.250");
      });
    });

    await step(
      "a device gets a lease, resolves names and has the access of its policies",
      async () => {
        await must("ip", ["-n", lab.space("wan"), "address", "add", `${RESOLVER}/32`, "dev", "lo"]);
        await lab.deno("wan", "dns/upstream.ts", [RESOLVER]).line(/^ready$/);
        const settings = { UpstreamTLSHost: "", UpstreamIPAddress: RESOLVER, TlsDisable: true };
        await write("PUT", "/dnsSettings", settings);
        await eventually("it has a lease", async () => {
          await lab.dhcp("a", ["-x", "hostname:tablet"]);
          return await lab.address("a") !== null;
        });
        assert.match(await lab.address("a") ?? "", /^192\.168\.2\.\d+\/30$/);
        assert.equal(await lab.tcp("a", INTERNET, 80), "timeout");
        await write("PUT", `/device?identity=${MAC}`, { Policies: ["wan", "dns"] });
        assert.equal(await lab.tcp("a", INTERNET, 80), "open");
        await eventually(
          "local names are resolved",
          async () =>
            data(await dig(lab, "a", "192.168.2.1", "tablet.lan")).startsWith("192.168.2."),
        );
        assert.equal(data(await dig(lab, "a", "192.168.2.1", "www.test")), "198.51.100.80");
        await eventually("the query is in the log", async () => {
          const { status, text } = await api("GET", "/plugins/dns/log/entries");
          return status === 200 && text.includes("www.test");
        });
      },
    );

    await step("a VPN tunnel is carried within its unit, and outlives its process", async () => {
      await write("PUT", "/plugins/wireguard/up");
      const tunnel = async () => (await api("GET", "/plugins/wireguard/settings")).json;
      await eventually("the tunnel runs", async () => {
        const { Running, Problem } = await tunnel();
        assert.equal(Problem, "");
        return Running;
      });
      const index = async () => await must("ip", ["-o", "link", "show", "dev", "wg0"]);
      const [stood] = (await index()).split(":");
      const before = await pidOf("wireguard");
      // Its unit also has the program that carries the tunnel.
      Deno.kill(before, "SIGKILL");
      await eventually("it is back", async () => {
        const now = await pidOf("wireguard");
        return now !== 0 && now !== before;
      });
      const { PublicKey } = await tunnel();
      const peer = await api("PUT", "/plugins/wireguard/peer");
      assert.equal(peer.status, 200, peer.text);
      await eventually("the next process sets a peer", async () => {
        const { wg0 } = (await api("GET", "/plugins/wireguard/status")).json;
        return wg0?.publicKey === PublicKey && Object.keys(wg0.peers).length === 1;
      });
      assert.equal((await index()).split(":")[0], stood, "the same interface");
      await write("PUT", "/plugins/wireguard/down");
      await eventually("it is down", async () => {
        return !(await command("ip", ["link", "show", "dev", "wg0"])).ok;
      });
    });

    await step(
      "a plugin in a container serves at the socket that netd made room for",
      containerPluginServes,
    );

    await step("the log reads the machine's journal, page by page and by process", async () => {
      const page = async (query: string) => (await api("GET", `/logs?${query}`)).json;
      const first = await page("limit=20");
      assert.ok(first.length >= 20);
      const times = first.map((entry: Entry) => entry.__REALTIME_TIMESTAMP);
      assert.deepEqual(times, [...times].sort((a, b) => b - a), "newest first");
      const next = await page(`limit=20&before=${times.at(-1)}`);
      assert.ok(next[0].__REALTIME_TIMESTAMP < times.at(-1));
      const netd: readonly Entry[] = await page("process=netd&limit=2000");
      assert.ok(netd.some(({ MESSAGE }) => /nftables/.test(MESSAGE)), JSON.stringify(netd));
      assert.ok(netd.every(({ CONTAINER_NAME }) => CONTAINER_NAME === "netd"));
      const foreign: readonly Entry[] = await page("process=systemd-journald&limit=5");
      assert.ok(foreign.some(({ MESSAGE }) => /Journal started/.test(MESSAGE)), "others' too");
    });

    await step("processes are listed, and whether one runs", async () => {
      const list: readonly { readonly Names: string[]; readonly State: string }[] =
        (await api("GET", "/info/docker")).json;
      const running = list.filter(({ State }) => State === "running").flatMap(({ Names }) => Names);
      assert.deepEqual([...running].sort(), UNITS.map((unit) => `/${unit}`).sort());
      assert.equal((await api("GET", "/dockerPS?service=dns")).status, 200);
    });

    await step("the clock is synchronised by timesyncd", async () => {
      const { unix } = (await api("GET", "/time")).json;
      assert.ok(Math.abs(unix - Date.now() / 1000) < 60);
      const keeper = "systemd-timesyncd.service";
      const before = await property(keeper, "InvocationID");
      const answer = await api("PUT", "/time/sync");
      assert.equal(answer.status, 200, answer.text);
      await eventually(
        "it has been restarted",
        async () =>
          await property(keeper, "InvocationID") !== before &&
          await property(keeper, "ActiveState") === "active",
      );
    });

    await step("without a time service, the error says so", async () => {
      const units = "/usr/lib/systemd/ntp-units.d";
      await must("mv", [units, `${units}.kept`]);
      await must("systemctl", ["stop", "systemd-timedated"]);
      const answer = await api("PUT", "/time/sync");
      await must("mv", [`${units}.kept`, units]);
      await must("systemctl", ["stop", "systemd-timedated"]);
      assert.equal(answer.status, 502);
      assert.match(answer.json.detail, /^timedatectl: .*NTP not supported/);
    });

    await step("TLS comes and goes without a restart", async () => {
      const before = await pidOf("api");
      const page = () =>
        command("curl", ["-sk", "-o", "/dev/null", "-w", "%{http_code}", "https://127.0.0.1/"]);
      await write("PUT", "/firewall/enableTLS");
      await eventually("the page is there", async () => (await page()).stdout === "200");
      await write("DELETE", "/firewall/enableTLS");
      await eventually("the port is closed", async () => !(await page()).ok);
      await write("PUT", "/firewall/enableTLS");
      assert.equal(await pidOf("api"), before);
    });

    await step("a killed process is restarted, however often", async () => {
      const before = await pids();
      for (const unit of UNITS) await must("systemctl", ["kill", "-s", "KILL", `sluice-${unit}`]);
      assert.equal(
        await lab.tcp("a", INTERNET, 80),
        "open",
        "allowed connections continue meanwhile",
      );
      await restarted(before);
      for (let times = 0; times < 7; times++) {
        const last = await pidOf("multicastd");
        await must("systemctl", ["kill", "-s", "KILL", "sluice-multicastd"]);
        await eventually("it was restarted", async () => {
          const now = await pidOf("multicastd");
          return now !== 0 && now !== last;
        });
      }
      await apiReady("applied");
    });

    await step("a process that gives no sign of life is killed and restarted", async () => {
      for (const { name, maxSilence = MAX_SILENCE_S } of PROCESSES) {
        if (!UNITS.includes(name)) continue;
        await eventually(`${name} has set its watchdog`, async () => {
          const wait = await property(`sluice-${name}.service`, "WatchdogUSec");
          return wait === (maxSilence === 60 ? "1min" : `${maxSilence}s`);
        });
      }
      // The others differ in nothing but the time.
      const before = await pidOf("dnsd");
      Deno.kill(before, "SIGSTOP");
      await eventually("the stopped process was replaced", async () => {
        const now = await pidOf("dnsd");
        return now !== 0 && now !== before;
      });
      await eventually(
        "local names are resolved again",
        async () => data(await dig(lab, "a", "192.168.2.1", "tablet.lan")).startsWith("192.168.2."),
      );
    });

    await step("a restart by the API restarts every process", async () => {
      const before = await pids();
      const answer = await api("PUT", "/restart");
      assert.equal(answer.status, 200, answer.text);
      await restarted(before);
      assert.equal(await lab.tcp("a", INTERNET, 80), "open", "the rules stay");
      await apiReady("applied");
      assert.equal((await api("GET", "/network")).json.drift.length, 0);
    });

    await step("nothing has logged a warning", async () => {
      const { stdout } = await command("systemctl", ["--failed", "--plain", "--no-legend"]);
      assert.equal(stdout.trim(), "");
      const names = new Set<string>(UNITS);
      const errors: readonly Entry[] = (await api("GET", "/logs?level=warn")).json;
      const ours = errors.filter(({ CONTAINER_NAME }) => names.has(CONTAINER_NAME));
      assert.deepEqual(
        ours.map(({ CONTAINER_NAME, MESSAGE }) => `${CONTAINER_NAME}: ${MESSAGE}`),
        [],
      );
    });
  } finally {
    await lab.close();
  }
});

interface Entry {
  readonly CONTAINER_NAME: string;
  readonly MESSAGE: string;
  readonly __REALTIME_TIMESTAMP: number;
}
