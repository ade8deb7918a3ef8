import assert from "node:assert/strict";
import type { ClientMessage, LeaseDecision } from "../../../system/dhcp/api_schema.ts";
import { Problem } from "../../../system/core/errors/problem.ts";
import { Renewals } from "../../../system/dhcp/renewals.ts";
import { mac } from "../../kit/builders/device_config.ts";
import { LEASE } from "../../kit/dhcp/dhcp_exchange.ts";

const REQUEST: ClientMessage = {
  kind: "request",
  mac: mac(1),
  link: "lan0",
  name: "",
  clientId: "",
  wanted: LEASE.IP,
  server: "",
  vendorClass: "",
  parameters: "",
};

/** Renewals whose client has a lease, and the reports that wait for the api. */
function renewals() {
  const asked: { message: ClientMessage; answer: PromiseWithResolvers<LeaseDecision | null> }[] =
    [];
  const kept: { last: { link: string | null; lease: LeaseDecision } | null } = {
    last: { link: "lan0", lease: LEASE },
  };
  const one = new Renewals({
    last: (asked) => asked === REQUEST.mac ? kept.last : null,
    decide: (message) => {
      const answer = Promise.withResolvers<LeaseDecision | null>();
      asked.push({ message, answer });
      return answer.promise;
    },
  });
  return { one, asked, kept };
}

Deno.test("a granted lease is renewed at once, while the request is on its way to the api", async () => {
  const { one, asked } = renewals();
  assert.equal(one.answer(REQUEST), null, "the api has not granted it in this run");
  one.granted(REQUEST, LEASE);
  assert.deepEqual(one.answer(REQUEST), LEASE);
  assert.deepEqual(one.answer({ ...REQUEST, server: LEASE.DNSIP }), LEASE, "it was chosen");
  assert.deepEqual(one.answer({ ...REQUEST, kind: "discover", wanted: "" }), LEASE);
  assert.deepEqual(asked.map(({ message }) => message.kind), ["request", "request"]);
  for (const { answer } of asked) answer.resolve(LEASE);
  await one.settled();
  assert.deepEqual(one.answer(REQUEST), LEASE);
});

Deno.test("anything but a renewal of the very lease is decided by the api", () => {
  const { one, kept } = renewals();
  one.granted({ ...REQUEST, kind: "discover" }, LEASE);
  one.granted({ ...REQUEST, server: "192.168.9.9" }, LEASE);
  assert.equal(one.answer(REQUEST), null, "neither was granted");
  one.granted(REQUEST, LEASE);
  for (
    const other of [
      { mac: mac(2) },
      { link: "lan1" },
      { wanted: "192.168.2.10" },
      { wanted: "" },
      { server: "192.168.9.9" },
      { kind: "inform" } as const,
    ]
  ) assert.equal(one.answer({ ...REQUEST, ...other }), null, JSON.stringify(other));
  assert.deepEqual(one.answer(REQUEST), LEASE);
  for (const last of [null, { link: "lan1", lease: LEASE }, { link: null, lease: LEASE }]) {
    kept.last = last;
    assert.equal(one.answer(REQUEST), null, "the api sent another lease since");
  }
  kept.last = { link: "lan0", lease: { ...LEASE, LeaseTime: "1h0m0s" } };
  assert.equal(one.answer(REQUEST), null, "the api changed the lease since");
});

Deno.test("a client that left, or whose interface was opened anew, is decided about anew", () => {
  const { one } = renewals();
  for (
    const leave of [
      () => one.answer({ ...REQUEST, kind: "release" }),
      () => one.answer({ ...REQUEST, kind: "decline" }),
      () => one.forget("lan0"),
    ]
  ) {
    one.granted(REQUEST, LEASE);
    one.forget("lan1");
    assert.deepEqual(one.answer(REQUEST), LEASE);
    leave();
    assert.equal(one.answer(REQUEST), null);
  }
});

Deno.test("a renewal that the api would have refused is the last from memory", async () => {
  const refusals: ((answer: PromiseWithResolvers<LeaseDecision | null>) => void)[] = [
    (answer) => answer.resolve(null),
    (answer) => answer.resolve({ ...LEASE, IP: "192.168.2.10" }),
    (answer) => answer.reject(new Problem(409, "No address is free")),
  ];
  for (const refuse of refusals) {
    const { one, asked } = renewals();
    one.granted(REQUEST, LEASE);
    assert.deepEqual(one.answer(REQUEST), LEASE);
    refuse(asked[0]!.answer);
    await one.settled();
    assert.equal(one.answer(REQUEST), null);
  }
  const { one, asked } = renewals();
  one.granted(REQUEST, LEASE);
  one.answer(REQUEST);
  asked[0]!.answer.reject(new TypeError("the api is away"));
  await one.settled();
  assert.deepEqual(one.answer(REQUEST), LEASE, "an api that is away has withdrawn nothing");
});

Deno.test("a client that renews again and again is reported once while the api is busy", async () => {
  const { one, asked } = renewals();
  one.granted(REQUEST, LEASE);
  for (let n = 0; n < 100; n++) one.answer(REQUEST);
  assert.equal(asked.length, 8, "as many as are reported at the same time");
  for (const { answer } of asked.splice(0)) answer.resolve(LEASE);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.equal(asked.length, 1);
  asked[0]!.answer.resolve(LEASE);
  await one.settled();
});
