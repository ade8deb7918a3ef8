/** A link and what was decided about it (`GET /interfacesConfiguration`). */
export interface Link {
  readonly Name: string;
  readonly Type: string;
  readonly Subtype: string;
  readonly Enabled: boolean;
  readonly MACOverride?: string;
  readonly MACRandomize?: boolean;
  readonly MACCloak?: boolean;
  readonly AdditionalIPs?: readonly { readonly IP: string; readonly Router: string }[];
}

/** An access account (`GET /uplink/ppp`); its secret is never shown. */
export interface Account {
  readonly Iface: string;
  readonly PPPIface: string;
  readonly Enabled: boolean;
  readonly Username: string;
  readonly Secret: string;
  readonly VLAN: string;
  readonly MTU: string;
}
