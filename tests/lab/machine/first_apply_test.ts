import assert from "node:assert/strict";
import { eventually } from "../../kit/lab/bed.ts";
import { buildLab } from "../../kit/lab/lab.ts";
import { type LabRouter, startRouter } from "../../kit/lab/router.ts";

const CHOSEN = { authorization: `Basic ${btoa("admin:chosen in the lab")}` };

/** A router that nobody has set up, on a machine that seems to lack wireguard-go until apt-get ran. */
async function onBareMachine(
  { install, lacksIp = false }: { readonly install: boolean; readonly lacksIp?: boolean },
  test: (
    bare: {
      readonly router: LabRouter;
      /** What apt-get was asked. */
      readonly requested: () => Promise<string>;
      /** The setup code as credentials. */
      readonly code: string;
      readonly setUp: () => Promise<void>;
    },
  ) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-bare-" });
  const lab = await buildLab({ name: "bare", clients: 1 });
  const script = (name: string, lines: readonly string[]): Promise<void> =>
    Deno.writeTextFile(`${folder}/${name}`, ["#!/bin/sh", ...lines, ""].join("\n"), {
      mode: 0o755,
    });
  const covers: Record<string, string> = {
    "/usr/bin/dpkg-query": `${folder}/dpkg-query`,
    "/usr/bin/apt-get": `${folder}/apt-get`,
  };
  try {
    await Deno.copyFile("/usr/bin/dpkg-query", `${folder}/real`);
    await script("dpkg-query", [
      `[ -e ${folder}/installed ] && exec ${folder}/real "$@"`,
      `${folder}/real "$@" | grep -v '^wireguard-go '`,
    ]);
    // What netd probes the kernel with.
    if (lacksIp) {
      await Deno.writeTextFile(`${folder}/ip`, "", { mode: 0o644 });
      covers["/usr/bin/ip"] = `${folder}/ip`;
    }
    await script("apt-get", [`echo "$@" >>${folder}/requested`, `touch ${folder}/installed`]);
    const router = await startRouter(lab, {
      fresh: true,
      services: "uplinkd,wireguard",
      covers,
      install,
    });
    try {
      const code = /password (\S+)/.exec(
        await Deno.readTextFile(`${router.home}/state/first-start.txt`),
      )?.[1];
      const ask = async (path: string, authorization: string, body?: unknown): Promise<void> => {
        const headers = { authorization };
        const { status, text } = await router.api("PUT", path, { headers, body });
        assert.equal(status, 200, `${path}: ${text}`);
      };
      await test({
        router,
        code: `Bearer ${code}`,
        requested: () => Deno.readTextFile(`${folder}/requested`).catch(() => ""),
        async setUp() {
          await ask("/setup", `Bearer ${code}`, {
            InterfaceUplink: "wan0",
            AdminPassword: "chosen in the lab",
            TinyNets: ["192.168.2.0/24"],
          });
          await ask("/setup_done", CHOSEN.authorization);
          const { link } = lab.clients[0]!;
          const role = { Name: link, Type: "Downlink", Enabled: true };
          await ask("/link/config", CHOSEN.authorization, role);
          await eventually("the network is applied", async () => {
            const { json } = await router.api("GET", "/network", { headers: CHOSEN });
            return json.state === "applied";
          });
        },
      });
    } finally {
      await router.close();
    }
  } finally {
    await lab.close();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("nothing is installed before there is a network to apply, and then what was named", () =>
  onBareMachine({ install: true }, async ({ router, requested, setUp }) => {
    await eventually(
      "the terminal names it",
      () => Promise.resolve(/wireguard-go, for wireguard: carries/.test(router.process.output)),
    );
    assert.match(router.process.output, /Sluice installs these Debian packages/);
    await setUp();
    const [line, ...more] = (await requested()).trim().split("\n");
    assert.match(line!, /^install --yes .* wireguard-go$/);
    assert.deepEqual(more, []);
    const at = (text: RegExp): number => router.process.output.search(text);
    assert.ok(at(/Installing Debian packages/) > at(/Sluice installs these Debian packages/));
    const { json } = await router.api("GET", "/packages", { headers: CHOSEN });
    assert.ok(json.items.every(({ installed }: { installed: boolean }) => installed));
  }));

Deno.test("SLUICE_INSTALL=no installs nothing, and a notice names what is missing", () =>
  onBareMachine({ install: false }, async ({ router, requested, setUp }) => {
    await setUp();
    assert.equal(await requested(), "");
    const notice = async (): Promise<string> => {
      const { json } = await router.api("GET", "/notices", { headers: CHOSEN });
      return json.items.find(({ kind }: { kind: string }) => kind === "packages-missing")?.detail ??
        "";
    };
    await eventually("the notice is there", async () => await notice() !== "");
    assert.match(await notice(), /wireguard-go, for wireguard: carries VPN tunnels/);
    assert.match(router.process.output, /SLUICE_INSTALL=no: install them yourself with apt-get/);
  }));

Deno.test("the interfaces to choose from are listed on a machine without a tool of netd", () =>
  onBareMachine({ install: false, lacksIp: true }, async ({ router, code }) => {
    await eventually("the uplink is offered", async () => {
      const { json } = await router.api("GET", "/ip/addr", { headers: { authorization: code } });
      return json.some(({ ifname }: { ifname: string }) => ifname === "wan0");
    });
  }));
