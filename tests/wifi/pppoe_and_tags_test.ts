import assert from "node:assert/strict";
import { withBed } from "../kit/lab/bed.ts";
import { PROVIDER, UPLINK } from "../kit/lab/lab.ts";
import { stepsOf } from "../kit/vm/steps.ts";
import { tagsHold } from "../lab/network/tagged.ts";
import { dials } from "./pppoe.ts";

/** No uplink is listed; `cl-b` carries nothing. */
const LINKS = ["cl-a", "cl-c"].map((Name) => ({ Name, Type: "Downlink", Enabled: true }));

// One router for both: its start takes an emulated machine longer than the steps of either.
Deno.test("a router by cable dials by PPPoE, and keeps tagged devices apart", (t) =>
  withBed({
    name: "cable",
    lab: { clients: 3 },
    leases: 0,
    router: { services: "dhcpd,uplinkd", files: { "base/interfaces.json": LINKS } },
  }, async ({ lab, router }) => {
    const step = stepsOf(t);
    const client = lab.clients[2]!;
    await dials(step, { lab, router, client: { ...client, ...await router.lease(client) } });

    await step("the uplink takes a fixed address in place of the account", async () => {
      const body = { Name: "wan0", Enabled: true, DisableDHCP: true, IP: `${UPLINK}/24` };
      const answer = await router.api("PUT", "/uplink/ip", { body: { ...body, Router: PROVIDER } });
      assert.equal(answer.status, 200, answer.text);
    });

    await tagsHold(step, { lab, router });
  }));
