import { ResponseEncoder, type ResponseKind } from "../codec/response_encoder.ts";
import { addressBytes } from "../codec/address_data.ts";
import type { LocalEntry } from "./local_zone.ts";
import type { QueryView } from "../codec/query.ts";
import { nameBytes } from "../codec/name.ts";
import type { SpecialName } from "./special_names.ts";
import { EXTENDED_ERROR, RCODE, TYPE } from "../codec/constants.ts";

/** Seconds that a name of home may be kept by who asked, and that there is none. */
const LOCAL_TTL_S = 60, NEGATIVE_TTL_S = 10;
/** Seconds of what an override or the quarantine answers: a changed mind counts at once. */
const RULE_TTL_S = 1;

const LOCALHOST: ReadonlyMap<number, Uint8Array> = new Map([
  [TYPE.A, addressBytes("127.0.0.1")],
  [TYPE.AAAA, addressBytes("::1")],
]);

/** RFC 8482 4.2: what is answered to a question for records of all types. */
const ANY_REFUSAL = Uint8Array.from([7, ...new TextEncoder().encode("RFC8482"), 0]);

/** The question that is answered, and where to. */
export interface ResponseDraft {
  readonly query: Uint8Array;
  readonly view: QueryView;
  readonly out: Uint8Array;
  readonly limit: number;
}

/** Answers that need nobody outside. Each method writes one and answers its length. */
export class LocalResponses {
  readonly #writer = new ResponseEncoder();

  /** A code and nothing else. */
  code({ query, view, out, limit }: ResponseDraft, kind: ResponseKind): number {
    this.#writer.begin(query, view, out);
    return this.#writer.finish(view, kind, limit);
  }

  /** A question for all types, of which there are too many. */
  any({ query, view, out, limit }: ResponseDraft): number {
    this.#writer.begin(query, view, out);
    this.#writer.answer(TYPE.HINFO, 3600, ANY_REFUSAL);
    return this.#writer.finish(view, { code: RCODE.NOERROR }, limit);
  }

  /** A name of home; without a record of the type that is asked, that there is none. */
  local({ query, view, out, limit }: ResponseDraft, entry: LocalEntry, zone: Uint8Array): number {
    this.#writer.begin(query, view, out);
    const records = entry.records.get(view.type);
    if (records === undefined) this.#writer.soa(zone, NEGATIVE_TTL_S);
    else for (const data of records) this.#writer.answer(view.type, LOCAL_TTL_S, data);
    return this.#writer.finish(view, { code: RCODE.NOERROR, authoritative: true }, limit);
  }

  /** A name that is never asked outside and that nobody has at home. */
  special({ query, view, out, limit }: ResponseDraft, { zone, localhost }: SpecialName): number {
    this.#writer.begin(query, view, out);
    const data = localhost ? LOCALHOST.get(view.type) : undefined;
    if (data !== undefined) this.#writer.answer(view.type, LOCAL_TTL_S, data);
    else this.#writer.soa(zone, NEGATIVE_TTL_S);
    // The zone's own name exists.
    const exists = localhost || zone.length === view.nameLength;
    const code = exists ? RCODE.NOERROR : RCODE.NXDOMAIN;
    return this.#writer.finish(view, { code, authoritative: true }, limit);
  }

  /** What someone decided: no such name, without an SOA, so that nobody keeps it. */
  blocked({ query, view, out, limit }: ResponseDraft): number {
    this.#writer.begin(query, view, out);
    const kind = { code: RCODE.NXDOMAIN, extendedError: EXTENDED_ERROR.BLOCKED };
    return this.#writer.finish(view, kind, limit);
  }

  /** An address that someone decided; to questions for another type, that there is none. */
  address({ query, view, out, limit }: ResponseDraft, text: string): number {
    this.#writer.begin(query, view, out);
    const data = addressBytes(text);
    const type = data.length === 4 ? TYPE.A : TYPE.AAAA;
    if (type === view.type) this.#writer.answer(type, RULE_TTL_S, data);
    return this.#writer.finish(
      view,
      { code: RCODE.NOERROR, extendedError: EXTENDED_ERROR.FORGED },
      limit,
    );
  }

  /**
   * Names that someone decided, each the alias of the one before, with what is known of the last: its
   * addresses, and the code (RFC 6604 3).
   */
  alias(
    { query, view, out, limit }: ResponseDraft,
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
      if (owner === null) this.#writer.answer(TYPE.CNAME, RULE_TTL_S, name);
      else this.#writer.answerFor(owner, TYPE.CNAME, RULE_TTL_S, name);
      owner = name;
    }
    for (const text of addresses) {
      const data = addressBytes(text);
      const type = data.length === 4 ? TYPE.A : TYPE.AAAA;
      if (type !== view.type) continue;
      if (owner === null) this.#writer.answer(type, RULE_TTL_S, data);
      else this.#writer.answerFor(owner, type, RULE_TTL_S, data);
    }
    return this.#writer.finish(view, { code, extendedError: EXTENDED_ERROR.FORGED }, limit);
  }
}
