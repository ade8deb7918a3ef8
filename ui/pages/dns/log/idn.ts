/** Parameters of Punycode (RFC 3492 5). */
const BASE = 36, T_MIN = 1, T_MAX = 26, SKEW = 38, DAMP = 700, FIRST_BIAS = 72, FIRST = 128;
/** Greatest code point. */
const MOST = 0x10ffff;

/** Scripts that are written together in one word; Latin goes with those of East Asia. */
const TOGETHER: readonly RegExp[] = [
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]+$/u,
  /^\p{Script=Cyrillic}+$/u,
  /^\p{Script=Greek}+$/u,
  /^\p{Script=Arabic}+$/u,
  /^\p{Script=Hebrew}+$/u,
  /^\p{Script=Devanagari}+$/u,
  /^\p{Script=Thai}+$/u,
  /^\p{Script=Armenian}+$/u,
  /^\p{Script=Georgian}+$/u,
];

/**
 * A name of the DNS as its readers write it: `xn--bcher-kva.example` is `bücher.example`. A label that
 * mixes scripts, as one does that looks like another, or that is none, stays as it is.
 */
export function readable(name: string): string {
  if (!name.includes("xn--")) return name;
  return name.split(".").map((label) => {
    const text = label.startsWith("xn--") ? decoded(label.slice(4)) : null;
    return text !== null && isWord(text) && leadsBack(text, label) ? text : label;
  }).join(".");
}

function isWord(text: string): boolean {
  const letters = text.replaceAll(/[\d-]|\p{Script=Inherited}/gu, "");
  return TOGETHER.some((script) => script.test(letters));
}

/** True where a browser that is given the text asks for the label. */
function leadsBack(text: string, label: string): boolean {
  const address = `http://${text}`;
  return URL.canParse(address) && new URL(address).hostname === label;
}

/** The text of a label in Punycode (RFC 3492 6.2); null when it is none. */
function decoded(label: string): string | null {
  const delimiter = label.lastIndexOf("-");
  const text = Array.from(label.slice(0, Math.max(0, delimiter)), (char) => char.codePointAt(0)!);
  let code = FIRST, bias = FIRST_BIAS, index = 0;
  for (let at = delimiter + 1; at < label.length;) {
    const before = index;
    for (let weight = 1, k = BASE;; k += BASE) {
      const digit = digitOf(label.charCodeAt(at++));
      if (digit === null) return null;
      index += digit * weight;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < threshold) break;
      weight *= BASE - threshold;
      if (weight > MOST * BASE) return null;
    }
    bias = adapted(index - before, text.length + 1, before === 0);
    code += Math.floor(index / (text.length + 1));
    index %= text.length + 1;
    if (code > MOST || (code >= 0xd800 && code < 0xe000)) return null;
    text.splice(index++, 0, code);
  }
  return String.fromCodePoint(...text);
}

/** Value of a digit, `a` to `z` and `0` to `9`; null for anything else, the end among it. */
function digitOf(char: number): number | null {
  if (char >= 0x61 && char <= 0x7a) return char - 0x61;
  return char >= 0x30 && char <= 0x39 ? char - 0x30 + 26 : null;
}

function adapted(delta: number, length: number, first: boolean): number {
  let rest = Math.floor(delta / (first ? DAMP : 2));
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}
