import assert from "node:assert/strict";
import fc from "fast-check";
import { parseLine } from "../../../../system/dns/block/lists/parse_list.ts";
import { type NaiveList, parseNaively } from "../../../kit/dns/naive_list.ts";

/** The router's own reading of a whole list. */
function read(text: string): NaiveList {
  const lines = text.split("\n").map(parseLine);
  return {
    blocked: lines.flatMap(({ domains: names, exception }) => exception ? [] : names),
    excepted: lines.flatMap(({ domains: names, exception }) => exception ? names : []),
    skipped: lines.reduce((sum, { skipped }) => sum + skipped, 0),
  };
}

const label = fc.stringMatching(/^[a-z0-9_]([a-z0-9_-]{0,10}[a-z0-9_])?$/);
/** A name, and how lists write it: in any case, with its final dot or none. */
const name = fc.tuple(fc.array(label, { minLength: 2, maxLength: 4 }), fc.boolean(), fc.boolean())
  .map(([labels, upper, dot]) => {
    // The last label has a letter: what is all digits may be an address.
    const text = `${labels.join(".")}a`;
    return { text, written: (upper ? text.toUpperCase() : text) + (dot ? "." : "") };
  });
const blank = fc.constantFrom(" ", "\t", "  ", " \t ");
const address = fc.oneof(
  fc.constantFrom("0.0.0.0", "127.0.0.1", "::", "::1", "fe80::1%lo0", "0", "255.255.255.255"),
  fc.ipV4(),
  fc.constant("::ffff:1.2.3.4"),
);
const lineEnd = fc.constantFrom("\n", "\r\n", " \n");
const comment = fc.constantFrom("", " # why", "\t#", " ## x.example y.example");
const useless = fc.constantFrom(
  ...["com", "bad..example", "-a.example", "a-.example", "192.0.2.7", `${"a".repeat(64)}.example`],
  ...["a.example/x", "a*b.example", "http://a.example/", "a.example:80", "é:.example", "*"],
);
const own = fc.constantFrom("localhost", "LOCALHOST.", "ip6-loopback", "0.0.0.0", "broadcasthost");

/** A line, and what it must say. */
interface Line extends NaiveList {
  readonly line: string;
}

const nothing = { blocked: [], excepted: [], skipped: 0 };
const hosts: fc.Arbitrary<Line> = fc.tuple(
  address,
  fc.array(
    fc.tuple(
      blank,
      fc.oneof(
        name.map(({ text, written }) => ({ written, blocked: [text], skipped: 0 })),
        useless.map((written) => ({ written, blocked: [], skipped: 1 })),
        own.map((written) => ({ written, blocked: [], skipped: 0 })),
      ),
    ),
    { minLength: 1, maxLength: 9 },
  ),
  fc.constantFrom("", " # why", "#why.example", "\t# a.example"),
).map(([first, text, end]) => ({
  line: first + text.map(([gap, { written }]) => gap + written).join("") + end,
  blocked: text.flatMap(([, { blocked }]) => blocked),
  excepted: [],
  skipped: text.reduce((sum, [, { skipped }]) => sum + skipped, 0),
}));
const domains: fc.Arbitrary<Line> = fc.tuple(
  fc.constantFrom("", "*.", ".", "  "),
  name,
  comment,
).map(([before, { text, written }, end]) => ({
  ...nothing,
  line: before + written + end,
  blocked: [text],
}));
const rules: fc.Arbitrary<Line> = fc.tuple(
  fc.constantFrom("||", "@@||", "||*."),
  name,
  fc.constantFrom(
    ...["^", "^|", "^$important", "^|$important", "^$all,important", "", "^*", "|", "$important"],
    ...["^ # note", "\t! note ^ $script", "^$important ! note"],
  ),
).map(([before, { text, written }, end]) => ({
  ...nothing,
  line: `${before}${written}${end}`,
  ...(before.startsWith("||") ? { blocked: [text] } : { excepted: [text] }),
}));
const silent: fc.Arbitrary<Line> = fc.constantFrom(
  ...["", "# 0.0.0.0 a.example", "! a.example", "[Adblock Plus 2.0]", "   ", "#", "127.0.0.1 #"],
).map((line) => ({ ...nothing, line }));
const skipped: fc.Arbitrary<Line> = fc.oneof(
  fc.constantFrom(
    ...["a.example b.example", "||a.example^$script", "||a.example/x", "||a*.example^"],
    ...["a.example##.ad", "a.example#@#.ad", "@@a.example", "|a.example^", "||1.2.3.4^"],
  ),
  fc.constant(`0.0.0.0 ${"a.example ".repeat(500)}x.example`),
  useless,
).map((line) => ({ ...nothing, line, skipped: 1 }));

Deno.test("lists of any format, mixed, parse to what they were written for, and the same as by a naive parser", () => {
  const list = fc.array(
    fc.tuple(fc.oneof(hosts, domains, rules, silent, skipped), lineEnd),
    { maxLength: 30 },
  );
  fc.assert(fc.property(list, fc.boolean(), (lines, mark) => {
    const text = (mark ? "\ufeff" : "") + lines.map(([{ line }, end]) => line + end).join("");
    const meant = {
      blocked: lines.flatMap(([{ blocked }]) => blocked),
      excepted: lines.flatMap(([{ excepted }]) => excepted),
      skipped: lines.reduce((sum, [one]) => sum + one.skipped, 0),
    };
    assert.deepEqual(read(text), meant);
    assert.deepEqual(parseNaively(text), meant);
  }));
});

Deno.test("any list is parsed as by a naive parser", () => {
  const piece = fc.oneof(
    { weight: 4, arbitrary: name.map(({ written }) => written) },
    fc.constantFrom(
      ...[
        " ",
        "  ",
        "\t",
        "\n",
        "\r\n",
        "#",
        " #",
        "##",
        "!",
        "^",
        "|",
        "||",
        "@@||",
        "$important",
      ],
      ...["$all", "$script", ",", ".", "*.", "*", "-", "_", "[", "]", "%lo0", "\ufeff", "\u00a0"],
      ...[
        "bücher.example",
        "ＡＤＳ。例え。テスト。",
        "xn--bcher-kva.example",
        "ß.example",
        "١.٢.٣.٤",
      ],
      ...["0.0.0.0", "127.0.0.1", "::1", "fe80::1%lo0", "1.2.3", "256.1.1.1", "01.2.3.4", "com"],
    ),
    own,
    useless,
  );
  const soup = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(soup, (text) => {
      assert.deepEqual(read(text), parseNaively(text));
    }),
    { numRuns: 2000 },
  );
});
