import assert from "node:assert/strict";
import { INTERNET } from "../kit/lab/lab.ts";
import { type Bed, type BedClient, eventually, give } from "../kit/lab/bed.ts";
import { PACE } from "../kit/pace.ts";
import { DIALLED, FAR, FAR_BYTES, FAR_PORT, PppoeProvider } from "../kit/vm/pppoe.ts";
import type { Step } from "../kit/vm/steps.ts";

const ACCOUNT = { username: "me@isp.example", secret: `it's "5" \\ 100% #1` } as const;

/** A router that no uplink is set for, and a client behind it. */
interface Place extends Pick<Bed, "lab" | "router"> {
  readonly client: BedClient;
}

async function notices({ router }: Place): Promise<readonly string[]> {
  const { items } = (await router.api("GET", "/notices")).json;
  return items.map(({ detail }: { readonly detail: string }) => detail);
}

async function noticeSays(place: Place, label: RegExp): Promise<void> {
  let last: readonly string[] = [];
  await eventually(`a notice says ${label}`, async () => {
    last = await notices(place);
    return last.some((text) => label.test(text));
  }).catch((error) => {
    throw new Error(`${error.message}; there is ${JSON.stringify(last)}`);
  });
}

async function status(
  { router }: Place,
): Promise<{ readonly Up: boolean; readonly Reason: string }> {
  return (await router.api("GET", "/wan/status")).json[0];
}

const connected = (place: Place): Promise<void> =>
  eventually("the connection is up", async () => (await status(place)).Up);

/** What the Internet sees of the client; null when it is not reached. */
async function seen({ lab, client }: Place): Promise<string | null> {
  return /internet (\S+)/.exec(await lab.get(client.name, `http://${INTERNET}/`) ?? "")?.[1] ??
    null;
}

/** Processes of a name in the router, with their arguments. */
async function processes({ lab }: Place, name: RegExp): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (
    const pid of (await lab.must("router", "ip", ["netns", "pids", lab.space("router")])).split(
      "\n",
    )
  ) {
    const line = pid === "" ? "" : await Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "");
    if (name.test(line)) found.set(Number(pid), line.replaceAll("\0", " "));
  }
  return found;
}

/**
 * Steps in which the router dials over `wan0`, loses its provider, and has no uplink in the end. It runs
 * uplinkd; its client has no policy yet.
 */
export async function dials(step: Step, place: Place): Promise<void> {
  const { lab, router, client } = place;
  const provider = await PppoeProvider.open(lab, ACCOUNT);
  const put = async (more: Readonly<Record<string, unknown>>): Promise<void> => {
    const body = { Iface: "wan0", Enabled: true, Username: ACCOUNT.username, ...more };
    const answer = await router.api("PUT", "/uplink/ppp", { body });
    assert.equal(answer.status, 200, answer.text);
  };
  try {
    await step("a wrong password is reported as such, and the uplink stays down", async () => {
      await give(router, client.mac, { Policies: ["wan"] });
      await put({ Secret: "wrong" });
      await noticeSays(place, /^wan0: The provider rejects the user name or password/);
      assert.equal((await status(place)).Up, false);
      assert.equal(await seen(place), null);
    });

    await step("the right password connects, whatever characters it has", async () => {
      await put({ Secret: ACCOUNT.secret });
      await connected(place);
      await eventually(
        "the notice is over",
        async () => !(await notices(place)).some((text) => /rejects/.test(text)),
      );
      const routes = await lab.must("router", "ip", ["route", "show", "default"]);
      assert.match(routes, /^default dev ppp0 /);
      const link = await lab.must("router", "ip", ["address", "show", "dev", "ppp0"]);
      assert.match(link, /mtu 1492/);
      assert.match(link, new RegExp(`inet ${DIALLED.router} peer ${DIALLED.provider}/32`));
      assert.equal(await lab.dns("router", INTERNET), INTERNET);
    });

    await step("devices are online behind the PPPoE address", async () => {
      assert.equal(await seen(place), DIALLED.router);
      const { state, drift } = (await router.api("GET", "/network")).json;
      assert.deepEqual([state, drift], ["applied", []]);
    });

    await step("a large response passes the PPPoE MTU", async () => {
      const from = `TCP4:${FAR}:${FAR_PORT},connect-timeout=${2 * PACE}`;
      const count = ["-c", 'socat -u -T "$1" "$2" - | wc -c', "sh", String(5 * PACE), from];
      const loaded = await lab.exec(client.name, "sh", count);
      assert.equal(Number(loaded.stdout), FAR_BYTES, loaded.stderr);
    });

    await step(
      "the password is in one file of mode 0600, and on no command line",
      async () => {
        const holding: string[] = [];
        for (const folder of ["peers", "log"]) {
          for await (
            const { name } of Deno.readDir(`${router.home}/state/uplink/ppp/${folder}`)
          ) {
            const path = `${router.home}/state/uplink/ppp/${folder}/${name}`;
            assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600, path);
            if ((await Deno.readTextFile(path)).includes("100% #1")) {
              holding.push(name);
            }
          }
        }
        assert.deepEqual(holding, ["provider_wan0"]);
        for (const line of (await processes(place, /./)).values()) {
          assert.doesNotMatch(line, /100%/);
        }
        assert.doesNotMatch(router.process.output, /100%/);
        assert.doesNotMatch((await router.api("GET", "/uplink/ppp")).text, /100%/);
      },
    );

    await step("the connection survives a restart of uplinkd", async () => {
      const dialled = [...await processes(place, /^(\S*\/)?pppd\0/)].map(([pid]) => pid);
      assert.equal(dialled.length, 1);
      const [[pid]] = [...await processes(place, /uplinkd\.js\0uplinkd\0/)] as [[number, string]];
      Deno.kill(pid, "SIGKILL");
      await eventually(
        "another uplinkd runs",
        async () =>
          [...(await processes(place, /uplinkd\.js\0uplinkd\0/)).keys()].some((one) => one !== pid),
      );
      assert.equal(await seen(place), DIALLED.router);
      assert.deepEqual([...(await processes(place, /^(\S*\/)?pppd\0/)).keys()], dialled);
    });

    await step("a provider failure is an outage, which ends when it returns", async () => {
      await provider.stop();
      await eventually("it is down", async () => !(await status(place)).Up);
      await noticeSays(
        place,
        /^wan0: (The provider|The connection) (has ended|stopped responding)|^wan0: No PPPoE server responds/,
      );
      const [outage] = (await router.api("GET", "/wan/outages")).json;
      assert.deepEqual([outage?.Iface, outage?.End], ["wan0", 0]);
      provider.start();
      await connected(place);
      await eventually(
        "devices are online again",
        async () => await seen(place) === DIALLED.router,
      );
      await eventually(
        "the outage has an end",
        async () => (await router.api("GET", "/wan/outages")).json[0].End > 0,
      );
    });

    await step(
      "without its account the interface is disconnected, and nothing is left behind",
      async () => {
        const answer = await router.api("DELETE", "/uplink/ppp/wan0");
        assert.equal(answer.status, 200, answer.text);
        await eventually(
          "pppd has ended",
          async () => (await processes(place, /^(\S*\/)?pppd\0/)).size === 0,
        );
        await eventually(
          "its link is gone",
          async () => !(await lab.exec("router", "ip", ["link", "show", "dev", "ppp0"])).ok,
        );
        await eventually("its files are gone", () =>
          Promise.resolve(
            ["peers", "log"].every((folder) =>
              [...Deno.readDirSync(`${router.home}/state/uplink/ppp/${folder}`)].length === 0
            ),
          ));
        assert.equal(await seen(place), null);
      },
    );
  } finally {
    await provider.close();
  }
}
