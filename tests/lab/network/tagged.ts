import assert from "node:assert/strict";
import { INTERNET, type Lab } from "../../kit/lab/lab.ts";
import { type Bed, eventually } from "../../kit/lab/bed.ts";
import { must } from "../../kit/lab/command.ts";
import type { LabRouter } from "../../kit/lab/router.ts";
import type { Step } from "../../kit/vm/steps.ts";

/** A machine behind the trunk: the part of the lab that it is, and its tag there. */
interface Tagged {
  readonly part: "a" | "b";
  readonly tag: string;
  readonly mac: string;
}

const DESK: Tagged = { part: "a", tag: "30", mac: "02:00:00:00:30:01" };
const LAMP: Tagged = { part: "b", tag: "40", mac: "02:00:00:00:40:01" };

/** Plugs a machine into the switch behind `a`'s cable, at a port of its tag. */
async function plug(lab: Lab, { part, tag, mac }: Tagged): Promise<void> {
  const name = `eth0.${tag}`;
  const vlan = ["name", name, "address", mac, "type", "vlan", "id", tag];
  await lab.must("a", "ip", ["link", "add", "link", "eth0", ...vlan]);
  if (part !== "a") {
    await must("ip", ["-n", lab.space("a"), "link", "set", name, "netns", lab.space(part)]);
  }
  await lab.must(part, "ip", ["link", "set", name, "up"]);
}

/** The address that is leased there; null when nobody answers to so many tries, one each second. */
async function leased(lab: Lab, { part, tag }: Tagged, tries = 60): Promise<string | null> {
  const lease = await lab.dhcp(part, ["-i", `eth0.${tag}`, "-t", String(tries)]);
  if (!lease.ok) return null;
  const shown = await lab.must(part, "ip", ["-4", "address", "show", "dev", `eth0.${tag}`]);
  return /inet ([\d.]+)\/30/.exec(shown)?.[1] ?? null;
}

async function setPolicies(
  router: LabRouter,
  { mac, tag }: Tagged,
  ...Policies: string[]
): Promise<void> {
  const body = { MAC: mac, Name: `tag-${tag}`, VLANTag: tag, Policies };
  const answer = await router.api("PUT", `/device?identity=${mac}`, { body });
  assert.equal(answer.status, 200, answer.text);
}

/**
 * Steps that make the cable of the lab's client `a` a trunk, with tagged devices in `a` and `b`, which
 * have no address yet. The router runs dhcpd and reaches the Internet; it is started a second time.
 */
export async function tagsHold(
  step: Step,
  { lab, router }: Pick<Bed, "lab" | "router">,
): Promise<void> {
  const trunk = lab.clients[0]!.link;
  const shown = (name: string) => lab.exec("router", "ip", ["-d", "link", "show", "dev", name]);
  const online = async (part: string): Promise<boolean> =>
    await lab.tcp(part, INTERNET, 80) === "open";
  let switched = "";

  await step("each tag of a device is a link once the downlink is a trunk", async () => {
    await setPolicies(router, DESK, "wan");
    await setPolicies(router, LAMP);
    assert.equal((await shown(`${trunk}.30`)).ok, false);
    // Somebody else's, which is nobody's business here.
    const foreign = ["name", `${trunk}.99`, "type", "vlan", "id", "99"];
    await lab.must("router", "ip", ["link", "add", "link", trunk, ...foreign]);
    const answer = await router.api("PUT", `/link/vlan/${trunk}/enable`);
    assert.equal(answer.status, 200, answer.text);
    for (const { tag } of [DESK, LAMP]) {
      const link = await shown(`${trunk}.${tag}`);
      assert.match(link.stdout, new RegExp(`<.*UP.*>[\\s\\S]*vlan protocol 802.1Q id ${tag} `));
    }
  });

  let address: string | null = null;
  await step("who is on a tag is leased an address there", async () => {
    await plug(lab, DESK);
    await plug(lab, LAMP);
    address = await leased(lab, DESK);
    assert.notEqual(address, null, router.process.output);
    assert.notEqual(await leased(lab, LAMP), null);
    const neighbours = await lab.must("router", "ip", ["neigh", "show", "nud", "permanent"]);
    assert.match(neighbours, new RegExp(`^${address} dev ${trunk}\\.30 `, "m"));
  });

  await step("policies hold on tags, and no tag reaches another", async () => {
    assert.equal(await online("a"), true);
    assert.equal(await online("b"), false);
    const lamp = (await router.api("GET", `/device?identity=${LAMP.mac}`)).json.RecentIP;
    assert.equal(await lab.ping("a", lamp), false);
    assert.equal(await lab.ping("b", address!), false);
    await setPolicies(router, LAMP, "wan");
    assert.equal(await online("b"), true);
    assert.equal(await lab.ping("b", address!), false);
  });

  await step("a copied card's address gets nothing on another tag", async () => {
    const copy: Tagged = { part: "b", tag: "40", mac: DESK.mac };
    await lab.must("b", "ip", ["link", "set", "eth0.40", "address", copy.mac]);
    assert.equal(await leased(lab, copy, 4), null);
    assert.equal(await online("a"), true, "whose address it is goes on");
    await lab.must("b", "ip", ["link", "set", "eth0.40", "address", LAMP.mac]);
    assert.notEqual(await leased(lab, LAMP), null);
  });

  await step("all of it is there after a restart", async () => {
    await router.stop("SIGKILL");
    await lab.must("router", "ip", ["link", "delete", `${trunk}.40`]);
    await router.start();
    await eventually("both are online", async () => await online("a") && await online("b"));
    const { state, drift } = (await router.api("GET", "/network")).json;
    assert.deepEqual([state, drift], ["applied", []]);
  });

  await step(
    "without the trunk its links are gone, and nobody is online by them",
    async () => {
      const answer = await router.api("PUT", `/link/vlan/${trunk}/disable`);
      assert.equal(answer.status, 200, answer.text);
      switched = answer.headers.get("change-id")!;
      for (const { tag } of [DESK, LAMP]) {
        assert.equal((await shown(`${trunk}.${tag}`)).ok, false);
      }
      assert.equal(await online("a"), false);
      assert.equal((await shown(`${trunk}.99`)).ok, true, "what others made stays");
    },
  );

  await step("undone, everyone is back where they were", async () => {
    const answer = await router.api("PUT", `/changes/${switched}/undo`);
    assert.equal(answer.status, 200, answer.text);
    await eventually("both are online", async () => await online("a") && await online("b"));
  });

  await step("another tag is another link, and the old one goes", async () => {
    await setPolicies(router, { ...DESK, tag: "31" }, "wan");
    assert.equal((await shown(`${trunk}.30`)).ok, false);
    assert.equal((await shown(`${trunk}.31`)).ok, true);
    assert.equal(await online("a"), false);
    assert.equal(await online("b"), true, "who has another tag notices nothing");
    await plug(lab, { ...DESK, tag: "31" });
    assert.equal(await leased(lab, { ...DESK, tag: "31" }), address);
    assert.equal(await online("a"), true);
  });
}
