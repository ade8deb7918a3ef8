import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import { eventually } from "../../kit/eventually.ts";
import { command, must } from "../../kit/lab/command.ts";
import { mac } from "../../kit/builders/device_config.ts";
import { inFolder, type Program, startProgram } from "../../kit/process.ts";

const PATH = "/plugins/mesh";
const PASSWORD = "correct horse battery";
const NAMES = ["meshparent", "meshone", "meshtwo"] as const;

/** A router in a namespace of its own, with its processes; nothing is applied to the kernel. */
class Router {
  readonly space: string;
  readonly address: string;
  readonly #home: string;
  #program: Program;

  constructor(space: string, address: string, home: string) {
    [this.space, this.address, this.#home] = [space, address, home];
    this.#program = this.#start();
  }

  async call(method: string, path: string, body?: unknown, more: readonly string[] = []) {
    const answer = await command("ip", [
      ...["netns", "exec", this.space, "curl", "-sS", "-m", "60", "-X", method],
      ...["-u", `admin:${PASSWORD}`, "-H", "content-type: application/json", ...more],
      ...(body === undefined ? [] : ["-d", JSON.stringify(body)]),
      ...["-w", "\n%{http_code}", `http://${this.address}${path}`],
    ]);
    const at = answer.stdout.lastIndexOf("\n");
    return { status: Number(answer.stdout.slice(at + 1)), text: answer.stdout.slice(0, at) };
  }

  async json(method: string, path: string, body?: unknown, more: readonly string[] = []) {
    const { status, text } = await this.call(method, path, body, more);
    assert.equal(status, 200, `${method} ${path}: ${text}`);
    return text === "" ? null : JSON.parse(text);
  }

  async answered(): Promise<void> {
    await eventually("the router responds", async () => {
      assert.equal((await this.call("GET", "/status")).status, 200, this.#program.log());
    });
  }

  async devices(): Promise<readonly string[]> {
    return Object.keys(await this.json("GET", "/devices")).sort();
  }

  /** Ends it as a power cut does, and starts it again. */
  async killed(): Promise<void> {
    await this.#program.stop("SIGKILL");
    // Its processes end with it; their sockets and the lock are free then.
    await eventually("it starts again", async () => {
      this.#program = this.#start();
      await this.answered();
    });
  }

  async leafToken(): Promise<string> {
    const enrolled = await this.json("PUT", "/otp_register", { Name: "admin" });
    const totp = new TOTP({ secret: Secret.fromBase32(enrolled.OTPUsers[0].Secret) });
    const jwt = await this.json("PUT", "/otp_validate", { Name: "admin", Code: totp.generate() });
    return (await this.json("PUT", `${PATH}/leafToken`, undefined, ["-H", `x-jwt-otp: ${jwt}`]))
      .Token;
  }

  async stop(): Promise<void> {
    await this.#program.stop();
  }

  #start(): Program {
    return startProgram({
      home: this.#home,
      space: this.space,
      environment: {
        SLUICE_NETWORK: "auto",
        SLUICE_SERVICES: "mesh",
        SLUICE_HTTP: `${this.address}:80`,
        SLUICE_HTTPS: `${this.address}:443`,
      },
    });
  }
}

/** Three namespaces on one bridge, which the first of them has. */
async function cable(): Promise<void> {
  const [parent, ...leaves] = NAMES;
  const ip = (...args: readonly string[]) => must("ip", args);
  for (const name of NAMES) {
    await ip("netns", "add", name);
    await ip("-n", name, "link", "set", "lo", "up");
  }
  await ip("-n", parent, "link", "add", "br0", "type", "bridge");
  await ip("-n", parent, "address", "add", "10.77.0.1/24", "dev", "br0");
  await ip("-n", parent, "link", "set", "br0", "up");
  for (const [at, leaf] of leaves.entries()) {
    const port = `port${at}`;
    await ip(...["-n", parent, "link", "add", port, "type", "veth", "peer", "up0", "netns", leaf]);
    await ip("-n", parent, "link", "set", port, "master", "br0", "up");
    await ip("-n", leaf, "address", "add", `10.77.0.${at + 2}/24`, "dev", "up0");
    await ip("-n", leaf, "link", "set", "up0", "up");
  }
}

async function stands(parent: Router, leaf: Router, status: string): Promise<void> {
  await eventually(`${leaf.space} is ${status}`, async () => {
    const { Leaves } = await parent.json("GET", `${PATH}/status`);
    const found = Leaves.find(({ IP }: { IP: string }) => IP === leaf.address);
    assert.equal(found?.Status, status, JSON.stringify(found));
  });
}

Deno.test("a parent and two leaf routers, each with processes and a namespace of its own", async (t) => {
  await inFolder(async (folder) => {
    const routers: Router[] = [];
    try {
      await cable();
      for (const [at, name] of NAMES.entries()) {
        const home = `${folder}/${name}`;
        await Deno.mkdir(home, { mode: 0o700 });
        routers.push(new Router(name, `10.77.0.${at + 1}`, home));
      }
      const [parent, one, two] = routers as [Router, Router, Router];
      for (const router of routers) {
        await router.answered();
        await router.json("PUT", "/firewall/enableTLS");
      }
      const add = async (router: Router, n: number) =>
        await router.call("PUT", `/device?identity=${mac(n)}`, {
          ...{ Name: `Device ${n}`, PSKEntry: { Type: "sae", Psk: "password1234" } },
        });

      await t.step("both join, and one with devices of its own is refused first", async () => {
        await add(parent, 1);
        await add(two, 90);
        for (const leaf of [one, two]) {
          // Nothing is applied here, so that no process could encrypt a link.
          const body = { IP: leaf.address, APIToken: await leaf.leafToken(), Link: "vxlan" };
          if (leaf === two) {
            const refused = await parent.call("PUT", `${PATH}/leafRouter`, body);
            assert.equal(refused.status, 409, refused.text);
            assert.deepEqual(await two.devices(), [mac(90)]);
          }
          const added = await parent.call("PUT", `${PATH}/leafRouter?force=true`, body);
          assert.equal(added.status, 200, added.text);
          await stands(parent, leaf, "synced");
          assert.deepEqual(await leaf.devices(), [mac(1)]);
        }
      });

      await t.step(
        "a parent that is killed while it syncs leaves no half list",
        async () => {
          const adding = (async () => {
            for (let n = 2; n <= 6; n++) await add(parent, n);
          })();
          await adding;
          await parent.killed();
          const all = await parent.devices();
          assert.equal(all.length, 6);
          for (const leaf of [one, two]) {
            await stands(parent, leaf, "synced");
            assert.deepEqual(await leaf.devices(), all);
          }
        },
      );

      await t.step(
        "a leaf whose link is cut, and one that is killed, are in sync again",
        async () => {
          await must("ip", ["-n", parent.space, "link", "set", "port0", "down"]);
          await add(parent, 7);
          await stands(parent, two, "synced");
          await two.killed();
          await must("ip", ["-n", parent.space, "link", "set", "port0", "up"]);
          await add(parent, 8);
          const all = await parent.devices();
          for (const leaf of [one, two]) {
            await eventually(`${leaf.space} has all`, async () => {
              assert.deepEqual(await leaf.devices(), all);
            });
            await stands(parent, leaf, "synced");
          }
        },
      );
    } finally {
      for (const router of routers) await router.stop();
      for (const name of NAMES) await command("ip", ["netns", "delete", name]);
    }
  });
});
