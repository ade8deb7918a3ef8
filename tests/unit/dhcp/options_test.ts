import assert from "node:assert/strict";
import fc from "fast-check";
import { sentIdentifier, sentName } from "../../../system/dhcp/server/client_names.ts";
import { decodeDhcp, OPTION } from "../../../system/dhcp/server/packet.ts";
import { clientMessage, MESSAGE } from "../../kit/dhcp/dhcp_client.ts";
import { answering, exchange, LEASE } from "../../kit/dhcp/dhcp_exchange.ts";

const { discover, request } = MESSAGE;

const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
const named = async (name: string, options: readonly (readonly [number, Uint8Array])[]) => {
  const { sent } = await exchange({ type: request, ciaddr: LEASE.IP, options }, {
    decide: answering({ ...LEASE, name }),
  });
  return sent[0]!.message.options;
};

Deno.test("DHCP: a valid host name is returned to a client that requests it", async () => {
  const parameterList = [OPTION.parameterList, Uint8Array.of(1, 3, 12)] as const;
  assert.equal((await named("printer", [parameterList]))[12], bytes("printer").toHex());
  assert.equal((await named("Anna's phone", [parameterList]))[12], undefined);
  assert.equal(
    (await named("Anna's phone", [parameterList, [12, bytes("pixel-8")]]))[12],
    bytes("pixel-8").toHex(),
  );
  assert.equal((await named("<b>x</b>", [parameterList, [12, bytes("a\nb")]]))[12], undefined);
  assert.equal((await named("printer", []))[12], undefined, "not requested");
});

Deno.test("DHCP: option 81 is answered with the flags of RFC 4702", async () => {
  const answer = async (flags: number, name = bytes("pc")) =>
    (await named("", [[81, Uint8Array.of(flags, 0, 0, ...name)]]))[81];
  assert.equal(await answer(1), "01ffff7063", "S: the server does it");
  assert.equal(await answer(0), "03ffff7063", "overridden");
  assert.equal(await answer(8), "08ffff7063", "N: nobody does");
  assert.equal(await answer(5, Uint8Array.of(2, 0x70, 0x63)), "05ffff027063", "encoded");
  assert.equal((await named("", []))[81], undefined, "only to who sent one");
});

Deno.test("DHCP: a client identifier is parsed as a DUID and echoed", async () => {
  const duid = Uint8Array.of(255, 1, 2, 3, 4, 0, 2, 0, 0, 0xab, 0x11);
  const options = [[OPTION.clientId, duid]] as const;
  assert.equal((await named("", options))[61], duid.toHex());
  const read = (value: Uint8Array) =>
    sentIdentifier(decodeDhcp(clientMessage({ type: discover, options: [[61, value]] }))!);
  assert.equal(read(duid), "duid:00020000ab11");
  assert.equal(read(Uint8Array.of(1, 2, 0, 0, 0, 0, 1)), "01020000000001");
  assert.equal(read(Uint8Array.of(7)), "");
  const { sent } = await exchange({ type: request, requested: "10.0.0.1", options });
  assert.equal(sent[0]?.message.options[61], duid.toHex(), "in a refusal too");
});

Deno.test("DHCP: a client without a parameter request list gets all settings", async () => {
  const { sent } = await exchange({ type: discover, options: [[55, Uint8Array.of(6)]] });
  for (const code of [1, 3, 6, 28]) assert.ok(sent[0]!.message.options[code], String(code));
});

Deno.test("DHCP: MTU and NTP servers are sent on request", async () => {
  const options = async (requested: readonly number[], mtu: number, ntp: string[] = []) => {
    const { sent } = await exchange(
      { type: discover, options: [[OPTION.parameterList, Uint8Array.from(requested)]] },
      { decide: answering({ ...LEASE, ntp }), mtu },
    );
    return [sent[0]!.message.options[26], sent[0]!.message.options[42]];
  };
  const nothing = [undefined, undefined];
  assert.deepEqual(await options([1, 26, 42], 1492), ["05d4", undefined]);
  assert.deepEqual(await options([1, 3], 1492, ["192.168.2.1"]), nothing, "not requested");
  assert.deepEqual(await options([26, 42], 1500), nothing);
  assert.deepEqual(await options([26], 9000), nothing, "a jumbo MTU is not sent");
  assert.deepEqual(await options([26], 256), nothing, "too small for IPv4");
  assert.deepEqual(await options([42], 1500, ["192.168.2.1", "10.0.0.9"]), [
    undefined,
    "c0a802010a000009",
  ]);
});

Deno.test("DHCP: the domain of local names is sent to clients that request it", async () => {
  const parameterList = (
    ...codes: number[]
  ) => [[OPTION.parameterList, Uint8Array.from(codes)] as const];
  const both = await named("printer", parameterList(1, OPTION.domain, OPTION.search));
  assert.deepEqual([both[15], both[119]], [bytes("lan").toHex(), "036c616e00"]);
  const search = await named("printer", parameterList(OPTION.search));
  assert.deepEqual([search[15], search[119]], [undefined, "036c616e00"]);
  const neither = await named("printer", []);
  assert.deepEqual([neither[15], neither[119]], [undefined, undefined]);
});

Deno.test("DHCP: what is whole before an option that is cut off counts, wherever it is cut", () => {
  const option = fc.tuple(
    fc.integer({ min: 1, max: 254 }).filter((code) =>
      code !== OPTION.messageType && code !== OPTION.overload
    ),
    fc.uint8Array({ maxLength: 40 }),
  );
  fc.assert(
    fc.property(
      fc.uniqueArray(option, { maxLength: 8, selector: ([code]) => code }),
      fc.nat(400),
      (options, cut) => {
        const whole = clientMessage({ type: discover, options });
        const end = 240 + Math.min(cut, whole.length - 240);
        const read = decodeDhcp(whole.subarray(0, end));
        // The message type is the first option, of three bytes.
        if (end < 243) return assert.equal(read, null);
        let at = 243;
        const expected = options.filter(([, { length }]) => (at += 2 + length) <= end);
        assert.deepEqual(
          [...read!.options].filter(([code]) => code !== OPTION.messageType),
          expected,
        );
      },
    ),
  );
});

Deno.test("DHCP: of an option of fixed length that is sent twice the first counts, others are joined", () => {
  const address = (last: number) => Uint8Array.of(192, 168, 2, last);
  const message = clientMessage({
    type: discover,
    options: [
      [OPTION.messageType, Uint8Array.of(request)],
      [OPTION.requestedAddress, address(6)],
      [OPTION.requestedAddress, address(10)],
      [OPTION.hostName, bytes("prin")],
      [OPTION.hostName, bytes("ter")],
    ],
  });
  const read = decodeDhcp(message)!;
  assert.equal(read.type, discover);
  assert.deepEqual(read.options.get(OPTION.requestedAddress), address(6));
  assert.equal(sentName(read), "printer");
});
