/** A device as the resolver knows it, identified by the source address of its queries. */
export interface DnsClient {
  /** Canonical text of its address. */
  readonly address: string;
  /** Its key in the devices' document. */
  readonly identity: string;
  /** Its display name; "" for none. */
  readonly name: string;
  readonly tags: readonly string[];
  readonly groups: readonly string[];
  readonly policies: readonly string[];
  /** Address of its own upstream resolver (`DNSCustom`); "" for none. */
  readonly custom: string;
}
