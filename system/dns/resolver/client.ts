/** A device as the resolver knows it: who asks, told by the address that a question comes from. */
export interface DnsClient {
  /** Canonical text of its address. */
  readonly address: string;
  /** Its key in the devices' document. */
  readonly identity: string;
  /** Its name for people; "" for none. */
  readonly name: string;
  readonly tags: readonly string[];
  readonly policies: readonly string[];
  /** Address of the resolver that it uses instead of the router's upstream; "" for none. */
  readonly custom: string;
}
