import { ResponseEncoder, type ResponseKind } from "../codec/response_encoder.ts";
import { addressBytes } from "../codec/address_data.ts";
import type { LocalEntry } from "./local_zone.ts";
import type { QueryView } from "../codec/query.ts";
import { nameBytes } from "../codec/name.ts";
import type { SpecialName } from "./special_names.ts";
import { EXTENDED_ERROR, RCODE, TYPE } from "../codec/constants.ts";

/** TTLs of local names and of negative responses. */
const LOCAL_TTL_S = 60, NEGATIVE_TTL_S = 10;
/** TTL of a response by an override or the quarantine: a change applies at once. */
const RULE_TTL_S = 1;

const LOCALHOST: ReadonlyMap<number, Uint8Array> = new Map([
  [TYPE.A, addressBytes("127.0.0.1")],
  [TYPE.AAAA, addressBytes("::1")],
]);

/** The response to a query of type ANY (RFC 8482 4.2). */
const ANY_REFUSAL = Uint8Array.from([7, ...new TextEncoder().encode("RFC8482"), 0]);

/** A query and the buffer of its response. */
export interface ResponseDraft {
  readonly query: Uint8Array;
  readonly view: QueryView;
  readonly out: Uint8Array;
  readonly limit: number;
}

/** Responses without upstream data. Each method writes one and returns its length. */
export class LocalResponses {
  readonly #writer = new ResponseEncoder();

  /** A response code only. */
  code({ query, view, out, limit }: ResponseDraft, kind: ResponseKind): number {
    this.#writer.begin(query, view, out);
    return this.#writer.finish(view, kind, limit);
  }

  /** The minimal response to a query of type ANY. */
  any({ query, view, out, limit }: ResponseDraft): number {
    this.#writer.begin(query, view, out);
    this.#writer.answer(TYPE.HINFO, 3600, ANY_REFUSAL);
    return this.#writer.finish(view, { code: RCODE.NOERROR }, limit);
  }

  /** A local name; NODATA without a record of the queried type. */
  local({ query, view, out, limit }: ResponseDraft, entry: LocalEntry, zone: Uint8Array): number {
    this.#writer.begin(query, view, out);
    const records = entry.records.get(view.type);
    if (records === undefined) this.#writer.soa(zone, NEGATIVE_TTL_S);
    else for (const data of records) this.#writer.answer(view.type, LOCAL_TTL_S, data);
    return this.#writer.finish(view, { code: RCODE.NOERROR, authoritative: true }, limit);
  }

  /** A special-use name without a local record. `hasBelow`: there is a name below it. */
  special(
    { query, view, out, limit }: ResponseDraft,
    { zone, localhost }: SpecialName,
    hasBelow = false,
  ): number {
    this.#writer.begin(query, view, out);
    const data = localhost ? LOCALHOST.get(view.type) : undefined;
    if (data !== undefined) this.#writer.answer(view.type, LOCAL_TTL_S, data);
    else this.#writer.soa(zone, NEGATIVE_TTL_S);
    // The zone's own name exists.
    const exists = hasBelow || localhost || zone.length === view.nameLength;
    const code = exists ? RCODE.NOERROR : RCODE.NXDOMAIN;
    return this.#writer.finish(view, { code, authoritative: true }, limit);
  }

  /** A blocked name: NXDOMAIN, NODATA where it exists, without an SOA, so that it is not cached. */
  blocked({ query, view, out, limit }: ResponseDraft, exists = false): number {
    this.#writer.begin(query, view, out);
    const code = exists ? RCODE.NOERROR : RCODE.NXDOMAIN;
    const kind = { code, extendedError: EXTENDED_ERROR.BLOCKED };
    return this.#writer.finish(view, kind, limit);
  }

  /** The address of an override; NODATA for other types. */
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
   * The names of overrides, each the alias of the one before, with the addresses and the response code
   * (RFC 6604 3) of the last.
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
