// @ts-types="@types/dns-packet"
import packet from "dns-packet";
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { responseError } from "../../kit/dns/response_check.ts";
import { type DnsBed, dnsBed } from "../../kit/dns/bed.ts";
import { type WireMessage, wireMessage, wireOpt, wireQuery, wireSoa } from "../../kit/dns/wire.ts";

/** Codes of answers (RFC 1035 4.1.1, RFC 6891 9). */
const [NOERROR, FORMERR, NOTIMP, REFUSED, BADVERS] = [0, 1, 4, 5, 16];
const NAME = "www.example.com";

/** An option of EDNS on the wire. */
function option(code: number, data: readonly number[] = []): number[] {
  return [code >> 8, code & 255, data.length >> 8, data.length & 255, ...data];
}

interface ResponseSummary {
  readonly code: number;
  readonly flags: number;
  readonly answers: number;
  readonly questions: number;
  readonly opt: packet.OptAnswer | undefined;
}

async function exchange(
  dns: DnsBed,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<ResponseSummary | null> {
  const got = dns.sendNow(bytes, { from: "192.168.2.6", stream: false });
  await dns.clock.advance(50);
  const [answer] = got;
  if (answer === undefined || answer === null) return null;
  assert.equal(responseError(bytes, answer, { stream: false }), null);
  const read = packet.decode(Buffer.from(answer));
  const opt = read.additionals?.find(({ type }) => type === "OPT") as packet.OptAnswer | undefined;
  const flags = answer[2]! << 8 | answer[3]!;
  const code = flags & 15 | (opt?.extendedRcode ?? 0) << 4;
  return {
    ...{ code, flags, opt },
    answers: read.answers?.length ?? 0,
    questions: read.questions?.length ?? 0,
  };
}

const edns = (
  more: WireMessage & { flags?: number },
  options: Parameters<typeof wireOpt>[0] = {},
) => wireQuery(NAME, 1, { ...more, additional: [wireOpt(options)] });

Deno.test("the queries of RFC 8906 8 get the expected responses", async (t) => {
  const dns = dnsBed();
  const expectResponse = async (
    name: string,
    bytes: Uint8Array<ArrayBuffer>,
    check: (response: ResponseSummary) => void,
  ): Promise<void> => {
    await t.step(name, async () => {
      const response = await exchange(dns, bytes);
      assert.ok(response !== null, "no answer");
      check(response);
    });
  };
  const good =
    (more: (response: ResponseSummary) => void = () => {}) => (response: ResponseSummary): void => {
      assert.deepEqual([response.code, response.answers], [NOERROR, 1]);
      more(response);
    };
  await expectResponse(
    "8.1.1 plain",
    wireQuery(NAME),
    good(({ opt }) => assert.equal(opt, undefined)),
  );
  await expectResponse("8.1.2 an unknown type", wireQuery(NAME, 1000), ({ code, opt }) => {
    assert.deepEqual([code, opt], [NOERROR, undefined]);
  });
  await expectResponse(
    "8.1.3.1 CD",
    wireQuery(NAME, 1, { flags: 0x0110 }),
    good(({ flags }) => assert.equal(flags & 0x10, 0x10, "it is copied")),
  );
  await expectResponse(
    "8.1.3.2 a flag that is kept for later",
    wireQuery(NAME, 1, { flags: 0x0140 }),
    good(({ flags }) => assert.equal(flags & 0x40, 0)),
  );
  await expectResponse(
    "8.1.3.3 no recursion, of what is remembered",
    wireQuery(NAME, 1, { flags: 0 }),
    good(({ flags }) => assert.equal(flags & 0x0100, 0)),
  );
  await expectResponse("8.1.3.4 AD", wireQuery(NAME, 1, { flags: 0x0120 }), good());
  for (const opcode of [1, 2, 3, 4, 5, 6, 7, 15]) {
    const bare = wireMessage({ flags: opcode << 11 });
    await expectResponse(`8.1.4 opcode ${opcode}`, bare, ({ code, answers, flags, opt }) => {
      assert.deepEqual([code, answers, opt], [NOTIMP, 0, undefined]);
      assert.equal(flags & 0x7800, opcode << 11);
      assert.equal(flags & 0x0520, 0, "neither AA, RD nor AD");
    });
    await expectResponse(
      `8.1.4 opcode ${opcode} with a question`,
      wireQuery(NAME, 1, {
        flags: opcode << 11 | 0x0100,
      }),
      ({ code, answers }) => assert.deepEqual([code, answers], [NOTIMP, 0]),
    );
    await expectResponse(
      `6891 6.1.1 opcode ${opcode} with EDNS`,
      edns({ flags: opcode << 11 }),
      (response) => {
        assert.deepEqual([response.code, response.answers], [NOTIMP, 0]);
        assert.equal(response.opt?.ednsVersion, 0);
      },
    );
  }
  const version0 = ({ opt }: ResponseSummary): void => {
    assert.ok(opt, "there is EDNS");
    assert.equal(opt.ednsVersion, 0);
  };
  await expectResponse("8.2.1 EDNS", edns({}), good(version0));
  const badVersion = (response: ResponseSummary): void => {
    assert.deepEqual([response.code, response.answers], [BADVERS, 0]);
    version0(response);
  };
  await expectResponse("8.2.2 another version", edns({}, { version: 1 }), badVersion);
  const unknown = option(100);
  await expectResponse(
    "8.2.3 an unknown option",
    edns({}, { data: unknown }),
    good((response) => {
      version0(response);
      assert.deepEqual(response.opt!.options, [], "it is not sent back");
    }),
  );
  const flagged = (version: number, flags: number) =>
    wireQuery(NAME, 1, {
      additional: [{ ...wireOpt(), ttl: version * 0x1_0000 + flags }],
    });
  const noFlags = (response: ResponseSummary): void =>
    assert.equal(response.opt!.flags & 0x7fff, 0);
  await expectResponse("8.2.4 unknown flags", flagged(0, 0x0040), good(noFlags));
  await expectResponse("8.2.5 unknown flags of another version", flagged(1, 0x7fff), (response) => {
    badVersion(response);
    noFlags(response);
  });
  await expectResponse(
    "8.2.6 an unknown option of another version",
    edns({}, { version: 100, data: unknown }),
    badVersion,
  );
  await expectResponse(
    "8.2.8 DO",
    flagged(0, 0x8000),
    good(({ opt }) => assert.equal(opt!.flags & 0x8000, 0x8000, "it is copied")),
  );
  await expectResponse("8.2.9 DO of another version", flagged(1, 0x8000), badVersion);
  const many = [
    ...option(3),
    ...option(10, [1, 2, 3, 4, 5, 6, 7, 8]),
    ...option(9),
    ...option(8, [0, 1, 0, 0]),
  ];
  await expectResponse(
    "8.2.10 many options that are known",
    edns({}, { data: many }),
    good(version0),
  );
  const padded = [...option(12, Array<number>(300).fill(0)), ...option(11)];
  await expectResponse(
    "padding and a wish to stay connected",
    edns({}, { data: padded }),
    good(version0),
  );
  for (const size of [0, 1, 511, 512, 1232, 65_535]) {
    await expectResponse(`room for ${size} bytes`, edns({}, { size }), good(version0));
  }
});

Deno.test("error responses have EDNS when the query has", async () => {
  const dns = dnsBed();
  const one = { name: NAME, type: 1 };
  const soa = { name: "example.com", type: 6, ttl: 0, data: [] };
  const broken: readonly [string, WireMessage, number][] = [
    ["two questions", { questions: [one, one] }, FORMERR],
    ["no question", { questions: [] }, FORMERR],
    ["an answer in it", { questions: [one], answers: [soa] }, FORMERR],
    ["the truncation bit", { questions: [one], flags: 0x0300 }, FORMERR],
    ["five records beside it", { questions: [one], additional: Array(4).fill(soa) }, FORMERR],
    ["a whole zone", { questions: [{ ...one, type: 252 }] }, REFUSED],
    ["class CH", { questions: [{ ...one, class: 3 }] }, REFUSED],
    ["class 4", { questions: [{ ...one, class: 4 }] }, NOTIMP],
    ["an update", { questions: [one], answers: [soa], authority: [soa], flags: 0x2800 }, NOTIMP],
    ["a notice", { questions: [{ ...one, type: 6 }], answers: [soa], flags: 0x2000 }, NOTIMP],
  ];
  for (const [what, message, code] of broken) {
    const additional = [...message.additional ?? [], wireOpt({ dnssec: true })];
    const response = await exchange(dns, wireMessage({ ...message, additional }));
    assert.equal(response?.code, code, what);
    assert.equal(response.opt?.ednsVersion, 0, `${what}: EDNS`);
    assert.equal(response.opt.flags & 0x8000, 0x8000, `${what}: DO`);
    assert.equal((await exchange(dns, wireMessage(message)))?.opt, undefined, `${what}: no EDNS`);
  }
  const tooLong = edns({}, { data: [0, 10, 0, 9, 1] });
  assert.ok((await exchange(dns, tooLong))?.opt, "an option too long");
  const after = wireQuery(NAME, 1, { additional: [wireOpt()] });
  assert.ok((await exchange(dns, Uint8Array.from([...after, 0])))?.opt, "bytes too many");
});

Deno.test("unsupported queries get the response code of their error", async () => {
  const dns = dnsBed();
  const codeOf = async (bytes: Uint8Array<ArrayBuffer>) => (await exchange(dns, bytes))?.code;
  const one = { name: NAME, type: 1 };
  assert.equal(await codeOf(wireMessage({ questions: [one, one] })), FORMERR);
  assert.equal(await codeOf(wireMessage({ questions: [] })), FORMERR);
  const cookieOnly = wireMessage({ questions: [], additional: [wireOpt()] });
  assert.equal(await codeOf(cookieOnly), FORMERR);
  assert.equal(await codeOf(wireQuery(NAME, 252)), REFUSED, "a whole zone");
  assert.equal(await codeOf(wireQuery(NAME, 251)), REFUSED, "what changed in a zone");
  const since = { authority: [wireSoa(NAME, 60, 60)] };
  assert.equal(await codeOf(wireQuery(NAME, 251, since)), REFUSED, "since a version of it");
  const chaos = { name: "version.bind", type: 16, class: 3 };
  assert.equal(await codeOf(wireMessage({ questions: [chaos] })), REFUSED);
  assert.equal(await codeOf(wireMessage({ questions: [{ ...one, class: 4 }] })), NOTIMP);
  const twice = wireQuery(NAME, 1, { additional: [wireOpt(), wireOpt()] });
  assert.equal(await codeOf(twice), FORMERR);
  assert.equal(await codeOf(edns({}, { data: [0, 10, 0, 9, 1] })), FORMERR, "an option too long");
  const named = wireQuery(NAME, 1, { additional: [{ ...wireOpt(), name: "a" }] });
  assert.equal(await codeOf(named), FORMERR, "EDNS has no name");
  assert.equal(await codeOf(wireQuery(NAME, 1, { flags: 0x8100 })), undefined, "an answer");
  assert.equal(await codeOf(wireQuery("example.com", 255)), NOERROR, "RFC 8482");
  assert.equal(dns.upstreamQueries.length, 0);
});
