import { type AnswerKind, AnswerWriter } from "../codec/response_encoder.ts";
import { addressBytes } from "../codec/address_data.ts";
import type { LocalEntry } from "./local_zone.ts";
import type { QueryView } from "../codec/query.ts";
import { nameBytes } from "../codec/name.ts";
import type { Special } from "./special_names.ts";
import { EXTENDED, RCODE, TYPE } from "../codec/constants.ts";

/** Seconds that a name of home may be kept by who asked, and that there is none. */
const HOME_TTL = 60, NOTHING_TTL = 10;
/** Seconds of what an override or the quarantine answers: a changed mind counts at once. */
const DECIDED_TTL = 1;

const LOCALHOST: ReadonlyMap<number, Uint8Array> = new Map([
  [TYPE.A, addressBytes("127.0.0.1")],
  [TYPE.AAAA, addressBytes("::1")],
]);

/** RFC 8482 4.2: what is answered to a question for records of all types. */
const NO_ANY = Uint8Array.from([7, ...new TextEncoder().encode("RFC8482"), 0]);

/** The question that is answered, and where to. */
export interface OwnAnswer {
  readonly query: Uint8Array;
  readonly view: QueryView;
  readonly out: Uint8Array;
  readonly limit: number;
}

/** Answers that need nobody outside. Each method writes one and answers its length. */
export class OwnAnswers {
  readonly #writer = new AnswerWriter();

  /** A code and nothing else. */
  code({ query, view, out, limit }: OwnAnswer, kind: AnswerKind): number {
    this.#writer.begin(query, view, out);
    return this.#writer.end(view, kind, limit);
  }

  /** A question for all types, of which there are too many. */
  any({ query, view, out, limit }: OwnAnswer): number {
    this.#writer.begin(query, view, out);
    this.#writer.answer(TYPE.HINFO, 3600, NO_ANY);
    return this.#writer.end(view, { code: RCODE.NOERROR }, limit);
  }

  /** A name of home; without a record of the type that is asked, that there is none. */
  local({ query, view, out, limit }: OwnAnswer, entry: LocalEntry, zone: Uint8Array): number {
    this.#writer.begin(query, view, out);
    const records = entry.records.get(view.type);
    if (records === undefined) this.#writer.soa(zone, NOTHING_TTL);
    else for (const data of records) this.#writer.answer(view.type, HOME_TTL, data);
    return this.#writer.end(view, { code: RCODE.NOERROR, own: true }, limit);
  }

  /** A name that is never asked outside and that nobody has at home. */
  special({ query, view, out, limit }: OwnAnswer, { zone, localhost }: Special): number {
    this.#writer.begin(query, view, out);
    const data = localhost ? LOCALHOST.get(view.type) : undefined;
    if (data !== undefined) this.#writer.answer(view.type, HOME_TTL, data);
    else this.#writer.soa(zone, NOTHING_TTL);
    // The zone's own name exists.
    const exists = localhost || zone.length === view.nameLength;
    const code = exists ? RCODE.NOERROR : RCODE.NXDOMAIN;
    return this.#writer.end(view, { code, own: true }, limit);
  }

  /** What someone decided: no such name, without an SOA, so that nobody keeps it. */
  blocked({ query, view, out, limit }: OwnAnswer): number {
    this.#writer.begin(query, view, out);
    const kind = { code: RCODE.NXDOMAIN, extended: EXTENDED.BLOCKED };
    return this.#writer.end(view, kind, limit);
  }

  /** An address that someone decided; to questions for another type, that there is none. */
  address({ query, view, out, limit }: OwnAnswer, text: string): number {
    this.#writer.begin(query, view, out);
    const data = addressBytes(text);
    const type = data.length === 4 ? TYPE.A : TYPE.AAAA;
    if (type === view.type) this.#writer.answer(type, DECIDED_TTL, data);
    return this.#writer.end(view, { code: RCODE.NOERROR, extended: EXTENDED.FORGED }, limit);
  }

  /**
   * Names that someone decided, each the alias of the one before, with what is known of the last: its
   * addresses, and the code (RFC 6604 3).
   */
  alias(
    { query, view, out, limit }: OwnAnswer,
    names: readonly string[],
    { addresses, code = RCODE.NOERROR }: {
      readonly addresses: readonly string[];
      readonly code?: number;
    },
  ): number {
    this.#writer.begin(query, view, out);
    let owner: Uint8Array | null = null;
    for (const text of names) {
      const name = nameBytes(text) ?? Uint8Array.of(0);
      if (owner === null) this.#writer.answer(TYPE.CNAME, DECIDED_TTL, name);
      else this.#writer.answerOf(owner, TYPE.CNAME, DECIDED_TTL, name);
      owner = name;
    }
    for (const text of addresses) {
      const data = addressBytes(text);
      const type = data.length === 4 ? TYPE.A : TYPE.AAAA;
      if (type !== view.type) continue;
      if (owner === null) this.#writer.answer(type, DECIDED_TTL, data);
      else this.#writer.answerOf(owner, type, DECIDED_TTL, data);
    }
    return this.#writer.end(view, { code, extended: EXTENDED.FORGED }, limit);
  }
}
