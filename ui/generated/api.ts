// Made by ui/build.ts from the API document. Do not edit.
// Document 421832fefc301084
// deno-fmt-ignore-file
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly AccessChange: {
            readonly from: string;
            readonly to: string;
            readonly traffic: string;
            readonly reason: string;
        };
        readonly AddressTraffic: {
            readonly LanIn: number;
            readonly LanOut: number;
            readonly WanIn: number;
            readonly WanOut: number;
        };
        readonly Admission: {
            readonly Interface: string;
            readonly Until: number;
        };
        readonly AdmissionRequest: {
            readonly Interface: string;
            /** @default 60 */
            readonly Minutes: number;
        };
        readonly Admissions: {
            readonly Open: readonly components["schemas"]["Admission"][];
        };
        readonly AirNetwork: {
            readonly bssid: string;
            readonly ssid: string;
            /** @enum {string} */
            readonly band: "5" | "6" | "2.4";
            readonly channel: number;
            readonly from: number;
            readonly to: number;
            readonly signal: number;
            readonly own: boolean;
        };
        readonly AlertAction: {
            /**
             * @description Is shown by open pages and clients, and sent by the channels
             * @default false
             */
            readonly SendNotification: boolean;
            /**
             * @description Is stored, and listed until it is resolved
             * @default false
             */
            readonly StoreAlert: boolean;
            /**
             * @description End of the alert's topic
             * @default
             */
            readonly StoreTopicSuffix: string;
            /**
             * @description The same, as existing clients call it
             * @default
             */
            readonly BucketSuffix: string;
            /**
             * @description Template of the title, with `{{path.to.field}}`
             * @default
             */
            readonly MessageTitle: string;
            /**
             * @description Template of the text
             * @default
             */
            readonly MessageBody: string;
            /**
             * @description `info`, `warning`, `success` or `error`
             * @default
             */
            readonly NotificationType: string;
            /**
             * @description Not used
             * @default
             */
            readonly ActionType: string;
            /**
             * @description The alert holds the event
             * @default false
             */
            readonly GrabEvent: boolean;
            /**
             * @description The alert holds the values of the conditions
             * @default false
             */
            readonly GrabValues: boolean;
            /**
             * @description Fields of the event that it holds, all without any; `/…/` is a regular expression
             * @default []
             */
            readonly GrabFields: readonly string[];
        };
        readonly AlertActionInput: {
            /**
             * @description Is shown by open pages and clients, and sent by the channels
             * @default false
             */
            readonly SendNotification: boolean;
            /**
             * @description Is stored, and listed until it is resolved
             * @default false
             */
            readonly StoreAlert: boolean;
            /**
             * @description End of the alert's topic
             * @default
             */
            readonly StoreTopicSuffix: string;
            /**
             * @description The same, as existing clients call it
             * @default
             */
            readonly BucketSuffix: string;
            /**
             * @description Template of the title, with `{{path.to.field}}`
             * @default
             */
            readonly MessageTitle: string;
            /**
             * @description Template of the text
             * @default
             */
            readonly MessageBody: string;
            /**
             * @description `info`, `warning`, `success` or `error`
             * @default
             */
            readonly NotificationType: string;
            /**
             * @description Not used
             * @default
             */
            readonly ActionType: string;
            /**
             * @description The alert holds the event
             * @default false
             */
            readonly GrabEvent: boolean;
            /**
             * @description The alert holds the values of the conditions
             * @default false
             */
            readonly GrabValues: boolean;
            /**
             * @description Fields of the event that it holds, all without any; `/…/` is a regular expression
             * @default []
             */
            readonly GrabFields: readonly string[];
        };
        readonly AlertChannel: {
            readonly id: string;
            readonly name: string;
            /** @enum {string} */
            readonly kind: "webhook" | "ntfy" | "email" | "push";
            readonly enabled: boolean;
            readonly types: readonly ("info" | "success" | "warning" | "error")[];
            readonly only: readonly string[];
            readonly perHour: number;
            readonly quietFrom: string;
            readonly quietTo: string;
            readonly localNetwork: boolean;
            /** @description The server; ** stands for the rest */
            readonly url: string;
            /** @description ** where there is one */
            readonly secret: string;
            /** @description ** where there is one */
            readonly topic: string;
            /** @description ** where there is one */
            readonly token: string;
            readonly host: string;
            readonly port: number;
            /** @enum {string} */
            readonly security: "starttls" | "tls" | "none";
            readonly user: string;
            /** @description ** where there is one */
            readonly password: string;
            readonly from: string;
            readonly to: readonly string[];
            readonly browserKey: string;
            /** @description ** where there is one */
            readonly auth: string;
        };
        readonly AlertChannelRequest: {
            /**
             * Format: uuid
             * @description That of the channel that is replaced; none: a new one
             * @example 7e2b64a1-27a4-4b55-9c3f-1f0a52c1d0c1
             */
            readonly id?: string;
            readonly name: string;
            /** @enum {string} */
            readonly kind: "webhook" | "ntfy" | "email" | "push";
            /** @default true */
            readonly enabled: boolean;
            /**
             * @description Only alerts of these types; none: of all
             * @default []
             */
            readonly types: readonly ("info" | "success" | "warning" | "error")[];
            /**
             * @description Only alerts of these rules, by RuleId, and notices of these kinds, such as new-device; none: all
             * @default []
             */
            readonly only: readonly string[];
            /**
             * @description Messages in an hour at most; more are only counted
             * @default 60
             */
            readonly perHour: number;
            /**
             * @description From this time of day only errors are sent
             * @default
             */
            readonly quietFrom: string;
            /**
             * @description At this time of day what waited is sent
             * @default
             */
            readonly quietTo: string;
            /**
             * @description May send to private addresses and to those of the LAN; never to the router itself
             * @default false
             */
            readonly localNetwork: boolean;
            /**
             * @description webhook: where to; ntfy: the server; push: the address that the browser gave. Responses show the server, and ** for the rest, which sent back leaves it
             * @default
             */
            readonly url: string;
            /**
             * @description webhook: key of the signature; ** leaves the stored one
             * @default
             */
            readonly secret: string;
            /**
             * @description ntfy: who knows it may read; ** leaves the stored one
             * @default
             */
            readonly topic: string;
            /**
             * @description ntfy: access token; ** leaves the stored one
             * @default
             */
            readonly token: string;
            /**
             * @description email: the server
             * @default
             */
            readonly host: string;
            /**
             * @description email: 0 takes the usual one
             * @default 0
             */
            readonly port: number;
            /**
             * @description email: TLS from the start, or STARTTLS, without which nothing is sent
             * @default starttls
             * @enum {string}
             */
            readonly security: "starttls" | "tls" | "none";
            /**
             * @description email: user name; empty sends without signing in
             * @default
             */
            readonly user: string;
            /**
             * @description email: ** leaves the stored one
             * @default
             */
            readonly password: string;
            /**
             * @description email: the sender
             * @default
             * @example router@example.org
             */
            readonly from: string | "";
            /**
             * @description email: the recipients
             * @default []
             */
            readonly to: readonly string[];
            /**
             * @description push: the browser's public key (p256dh)
             * @default
             */
            readonly browserKey: string;
            /**
             * @description push: the browser's secret; ** leaves the stored one
             * @default
             */
            readonly auth: string | "**";
        };
        readonly AlertChannelState: {
            /** @description Of the channel */
            readonly id: string;
            /** @description Unix milliseconds of the last attempt; 0 before */
            readonly at: number;
            readonly ok: boolean;
            /** @description What the receiver responded, in its own words */
            readonly message: string;
            /** @description Unix milliseconds of the last message that was accepted; 0 before */
            readonly sentAt: number;
            /** @description Messages that wait to be sent */
            readonly waiting: number;
            /** @description Unix milliseconds when the oldest of them was queued; 0 for none */
            readonly oldestAt: number;
            /** @description Unix milliseconds of the next attempt; 0 where nothing waits */
            readonly nextAt: number;
            /** @description Alerts that were only counted, since the same was sent shortly before */
            readonly repeated: number;
            /** @description Alerts that were only counted, since there were too many in an hour */
            readonly held: number;
            /** @description Messages that were given up, since the receiver refused them or was away */
            readonly lost: number;
        };
        readonly AlertChannelTest: {
            readonly ok: boolean;
            /** @description What the receiver responded, in its own words */
            readonly message: string;
        };
        readonly AlertCondition: {
            /** @description A condition; docs/events.md says how */
            readonly JPath: string;
        };
        readonly AlertPushKey: {
            /** @description `applicationServerKey` of the router (RFC 8292), in base64url */
            readonly publicKey: string;
        };
        readonly AlertRule: {
            readonly TopicPrefix: string;
            /**
             * @description One condition that matches suffices
             * @default false
             */
            readonly MatchAnyOne: boolean;
            /**
             * @description Fires where the conditions do not match
             * @default false
             */
            readonly InvertRule: boolean;
            /** @default [] */
            readonly Conditions: readonly components["schemas"]["AlertCondition"][];
            readonly Actions: readonly components["schemas"]["AlertAction"][];
            readonly Name: string;
            /** @default false */
            readonly Disabled: boolean;
            /** @default  */
            readonly RuleId: string;
        };
        readonly AlertRuleInput: {
            readonly TopicPrefix: string;
            /**
             * @description One condition that matches suffices
             * @default false
             */
            readonly MatchAnyOne: boolean;
            /**
             * @description Fires where the conditions do not match
             * @default false
             */
            readonly InvertRule: boolean;
            /** @default [] */
            readonly Conditions: readonly components["schemas"]["AlertCondition"][];
            readonly Actions: readonly components["schemas"]["AlertActionInput"][];
            readonly Name: string;
            /** @default false */
            readonly Disabled: boolean;
            /** @default  */
            readonly RuleId: string;
        };
        readonly AlertRuleUpdate: {
            readonly TopicPrefix?: string;
            readonly MatchAnyOne?: boolean;
            readonly InvertRule?: boolean;
            readonly Conditions?: readonly components["schemas"]["AlertCondition"][];
            readonly Actions?: readonly components["schemas"]["AlertActionInput"][];
            readonly Name?: string;
            readonly Disabled?: boolean;
            readonly RuleId?: string;
        };
        readonly AlertTrial: {
            /** @description Events of the last day whose topic fits */
            readonly looked: number;
            readonly matched: number;
            /** @description False where there were more events than were looked at */
            readonly complete: boolean;
            /** @description The latest that match */
            readonly items: readonly {
                readonly topic: string;
                /** @description Unix milliseconds */
                readonly at: number;
                readonly title: string;
                readonly body: string;
                readonly event: {
                    readonly [key: string]: unknown;
                };
            }[];
        };
        readonly ApiToken: {
            readonly Name: string;
            readonly Token: string;
            readonly ID: string;
            readonly Expire: number;
            readonly ScopedPaths: readonly string[];
            readonly LastUsed: number;
        };
        readonly Approval: {
            readonly Identities: readonly string[];
            /**
             * @description internet: Internet and DNS; local: DNS, and what groups and rules allow; guest: as internet, for a day unless an expiry is sent; blocked: nothing, and it does not wait for approval again
             * @enum {string}
             */
            readonly Access: "internet" | "local" | "guest" | "blocked";
            /** @description For one device only */
            readonly Name?: string;
            readonly Style?: {
                readonly Icon?: string;
                readonly Color?: string;
            };
            readonly Groups?: readonly string[];
            readonly DeviceExpiration?: number;
            readonly DeleteExpiration?: boolean;
        };
        readonly ArpEntry: {
            readonly IP: string;
            readonly HWType: string;
            readonly Flags: string;
            readonly MAC: string;
            readonly Mask: string;
            readonly Device: string;
        };
        readonly AsnFound: {
            readonly ASN: number;
            readonly Name: string;
            readonly Country: string;
            readonly RangeCount: number;
        };
        readonly AsnResult: {
            readonly IP: string;
            readonly ASN: number;
            readonly Name: string;
            readonly Country: string;
        };
        readonly AsnUsage: {
            readonly ASN: number;
            readonly Name: string;
            readonly Country?: string;
            readonly BytesIn: number;
            readonly BytesOut: number;
            readonly Devices?: readonly components["schemas"]["DeviceUsage"][];
        };
        readonly AssertionAnswer: {
            readonly session: string;
            readonly credential: {
                readonly id: string;
                readonly rawId: string;
                /** @constant */
                readonly type: "public-key";
                readonly response: {
                    readonly clientDataJSON: string;
                    readonly authenticatorData: string;
                    readonly signature: string;
                    readonly userHandle?: string;
                };
            };
        };
        readonly BackupItem: {
            readonly Name: string;
            readonly Timestamp: string;
            readonly Size: number;
        };
        readonly BackupReport: {
            readonly taken: readonly {
                readonly path: string;
                readonly document: string;
                readonly dropped: readonly {
                    readonly pointer: string;
                    readonly message: string;
                }[];
            }[];
            readonly left: readonly {
                readonly path: string;
                readonly reason: string;
            }[];
            readonly missing: readonly components["schemas"]["MissingInterface"][];
            readonly present: readonly components["schemas"]["MachineInterface"][];
        };
        readonly BatchAnswer: {
            readonly path: string;
            /** @example 200 */
            readonly status: number;
            readonly etag: string | null;
            readonly body: unknown;
        };
        readonly BlockConfig: {
            /** @default [] */
            readonly BlockLists: readonly components["schemas"]["BlockList"][];
            /** @default [] */
            readonly OverrideLists: readonly components["schemas"]["OverrideList"][];
            /** @default [] */
            readonly ClientIPExclusions: readonly string[];
            /**
             * @description Seconds between list updates: at least 3600, or 0 for the default of a week
             * @default 0
             */
            readonly RefreshSeconds: number;
            /** @default  */
            readonly QuarantineHostIP: string | "";
            /** @default false */
            readonly RebindingCheckDisable: boolean;
            /** @default false */
            readonly BypassCheckDisable: boolean;
        };
        readonly BlockList: {
            /** @example https://lists.example/ads */
            readonly URI: string;
            /** @default true */
            readonly Enabled: boolean;
            /** @default [] */
            readonly Tags: readonly string[];
            /** @default  */
            readonly Category: string;
            /** @default false */
            readonly DontBlock: boolean;
        };
        readonly BlockListInput: {
            /** @example https://lists.example/ads */
            readonly URI: string;
            /** @default true */
            readonly Enabled: boolean;
            /** @default [] */
            readonly Tags: readonly string[];
            /** @default  */
            readonly Category: string;
            /** @default false */
            readonly DontBlock: boolean;
        };
        readonly BlockListName: {
            readonly URI: string;
        };
        readonly BlockListStatus: {
            readonly uri: string;
            readonly enabled: boolean;
            readonly domains: number;
            readonly exceptions: number;
            readonly skipped: number;
            readonly lines: number;
            readonly reasons: components["schemas"]["SkipReasons"];
            readonly bytes: number;
            readonly fetched: number;
            readonly checked: number;
            readonly next: number | null;
            readonly error: string;
            /** @enum {string} */
            readonly state: "waiting" | "fetching" | "building" | "ready" | "failed" | "off";
        };
        readonly BlockListTrial: {
            /** @example https://lists.example/ads */
            readonly URI: string;
        };
        readonly BlockListTrialResult: {
            readonly bytes: number;
        };
        readonly BlockMetrics: {
            readonly TotalQueries: number;
            readonly BlockedQueries: number;
            readonly BlockedDomains: number;
        };
        readonly BlockRule: {
            /** @enum {string} */
            readonly Protocol: "tcp" | "udp";
            /** @example 192.168.2.0/24 */
            readonly SrcIP: string;
            /** @example 192.168.2.0/24 */
            readonly DstIP: string;
            /** @default  */
            readonly RuleName: string;
            /** @default  */
            readonly Description: string;
            /** @default false */
            readonly Disabled: boolean;
        };
        readonly BlockRuleInput: {
            /** @enum {string} */
            readonly Protocol: "tcp" | "udp";
            /** @example 192.168.2.0/24 */
            readonly SrcIP: string;
            /** @example 192.168.2.0/24 */
            readonly DstIP: string;
            /** @default  */
            readonly RuleName: string;
            /** @default  */
            readonly Description: string;
            /** @default false */
            readonly Disabled: boolean;
        };
        readonly BucketItem: {
            /** @description Time of the item (RFC 3339 with nanoseconds), or the name it was put under */
            readonly Key: string;
            readonly Value: unknown;
        };
        readonly BucketStats: {
            /** @description Number of items */
            readonly KeyN: number;
        };
        readonly BulkAdd: {
            readonly Identities: readonly string[];
            readonly Groups?: readonly string[];
            readonly Tags?: readonly string[];
            readonly Policies?: readonly ("quarantine" | "wan" | "dns" | "dns:family" | "lan" | "lan_upstream" | "noapi")[];
        };
        readonly BulkAddResult: {
            readonly updated: readonly string[];
            readonly count: number;
        };
        readonly BulkDeleteResult: {
            readonly deleted: readonly string[];
            readonly count: number;
        };
        readonly CeremonyOptions: {
            readonly Session: string;
            readonly Options: {
                readonly publicKey: {
                    readonly challenge: string;
                } & {
                    readonly [key: string]: unknown;
                };
            };
        };
        readonly CertificateStatus: {
            readonly on: boolean;
            readonly certificate: {
                readonly from: number;
                readonly to: number;
                readonly dns: readonly string[];
                readonly ip: readonly string[];
                readonly own: boolean;
            } | null;
            readonly authority: {
                readonly from: number;
                readonly to: number;
                readonly fingerprint: string;
            } | null;
        };
        readonly ChangeDetail: {
            readonly id: string;
            readonly at: number;
            readonly by: string;
            readonly from: string | null;
            readonly kind: string;
            readonly summary: string;
            /** @enum {string} */
            readonly state: "pending" | "committed" | "written" | "failed" | "broken";
            readonly undoes: string | null;
            readonly undoneBy: string | null;
            readonly patch: readonly components["schemas"]["PatchEntry"][];
            readonly system: readonly string[];
        };
        readonly ChangeList: {
            readonly items: readonly components["schemas"]["ChangeSummary"][];
            readonly next: string | null;
        };
        readonly ChangeSummary: {
            readonly id: string;
            readonly at: number;
            readonly by: string;
            readonly from: string | null;
            readonly kind: string;
            readonly summary: string;
            /** @enum {string} */
            readonly state: "pending" | "committed" | "written" | "failed" | "broken";
            readonly undoes: string | null;
            readonly undoneBy: string | null;
        };
        readonly ChannelParameters: {
            /** @enum {string} */
            readonly Mode: "a" | "b" | "g";
            readonly Channel: number;
            readonly Bandwidth: 20 | 40 | 80 | 160 | 320 | 8080;
            /** @default false */
            readonly HT_Enable: boolean;
            /** @default false */
            readonly VHT_Enable: boolean;
            /** @default false */
            readonly HE_Enable: boolean;
            /** @default false */
            readonly EHT_Enable: boolean;
            /** @default 0 */
            readonly Op_class: number;
        };
        readonly ChannelRecommendation: {
            readonly channel: number;
            readonly better: boolean;
            readonly reason: string;
        };
        readonly ChannelResult: {
            readonly Vht_oper_centr_freq_seg0_idx: number;
            readonly He_oper_centr_freq_seg0_idx: number;
            readonly Eht_oper_centr_freq_seg0_idx: number;
            readonly Vht_oper_chwidth: number;
            readonly He_oper_chwidth: number;
            readonly Eht_oper_chwidth: number;
            readonly Op_class: number;
            readonly Is_6e: boolean;
            readonly Freq1: number;
            readonly Freq2: number;
            readonly Freq3: number;
        };
        readonly ChannelUse: {
            readonly channel: number;
            readonly frequency: number;
            readonly networks: number;
            readonly strongest: number;
            readonly load: number;
            /** @enum {string} */
            readonly dfs: "none" | "usable" | "listening" | "available" | "unavailable";
        };
        readonly Classification: {
            readonly MAC: string;
            readonly Vendor: string;
            readonly RandomMAC: boolean;
            /** @enum {string} */
            readonly Category: "camera" | "computer" | "console" | "iot-sensor" | "laptop" | "network" | "phone" | "printer" | "server" | "speaker" | "tablet" | "tv" | "unknown" | "vacuum";
            /** @enum {string} */
            readonly Confidence: "High" | "Medium" | "Low" | "Unknown";
            readonly Evidence: readonly string[];
            readonly Icon: string;
        };
        readonly Container: {
            readonly Id: string;
            readonly Names: readonly string[];
            readonly Image: string;
            readonly State: string;
            readonly Status: string;
            readonly Created: number;
            readonly NetworkSettings: {
                readonly Networks: {
                    readonly [key: string]: {
                        /** @default  */
                        readonly IPAddress: string;
                        /** @default  */
                        readonly MacAddress: string;
                    };
                };
            };
        };
        readonly ContainerNetwork: {
            readonly Id: string;
            readonly Name: string;
            /** @default  */
            readonly Driver: string;
            /** @default  */
            readonly Scope: string;
            /** @default false */
            readonly Internal: boolean;
            /**
             * @default {
             *       "Config": []
             *     }
             */
            readonly IPAM: {
                readonly Config: readonly {
                    /** @default  */
                    readonly Subnet: string;
                    /** @default  */
                    readonly Gateway: string;
                }[] | null;
            };
            readonly Options: {
                readonly [key: string]: string;
            } | null;
        };
        readonly Countries: {
            readonly items: readonly string[];
        };
        readonly CountryChannel: {
            /** @enum {string} */
            readonly band: "5" | "6" | "2.4";
            readonly channel: number;
            readonly frequency: number;
            readonly widths: readonly number[];
            readonly maxPower: number;
            readonly radar: boolean;
            readonly indoorOnly: boolean;
        };
        readonly CountryRules: {
            readonly country: string;
            readonly channels: readonly components["schemas"]["CountryChannel"][];
        };
        readonly CountryUsage: {
            readonly Country: string;
            readonly BytesIn: number;
            readonly BytesOut: number;
            readonly Devices: readonly components["schemas"]["DeviceUsage"][];
            readonly ASNs: readonly components["schemas"]["AsnUsage"][];
        };
        readonly CustomInterfaceRule: {
            readonly Interface: string;
            /** @example 192.168.2.0/24 */
            readonly SrcIP: string;
            /** @default  */
            readonly RouteDst: string | "";
            /** @default [] */
            readonly Policies: readonly ("disabled" | "quarantine" | "wan" | "dns" | "dns:family" | "lan" | "lan_upstream" | "noapi" | "api" | "guestonly")[];
            /** @default [] */
            readonly Groups: readonly string[];
            /** @default [] */
            readonly Tags: readonly string[];
            /** @default  */
            readonly RuleName: string;
            /** @default  */
            readonly Description: string;
            /** @default false */
            readonly Disabled: boolean;
        };
        readonly CustomInterfaceRuleInput: {
            readonly Interface: string;
            /** @example 192.168.2.0/24 */
            readonly SrcIP: string;
            readonly RouteDst?: string | "";
            /** @default [] */
            readonly Policies: readonly ("disabled" | "quarantine" | "wan" | "dns" | "dns:family" | "lan" | "lan_upstream" | "noapi" | "api" | "guestonly")[];
            /** @default [] */
            readonly Groups: readonly string[];
            /** @default [] */
            readonly Tags: readonly string[];
            /** @default  */
            readonly RuleName: string;
            /** @default  */
            readonly Description: string;
            /** @default false */
            readonly Disabled: boolean;
        };
        readonly CustomRuleName: {
            readonly Interface: string;
            /** @example 192.168.2.0/24 */
            readonly SrcIP: string;
            readonly RouteDst?: string | "";
            readonly Policies?: readonly string[];
            readonly Groups?: readonly string[];
            readonly Tags?: readonly string[];
        };
        readonly Device: {
            readonly Name: string;
            /** @description Container for the device of a plugin; else left out */
            readonly Type?: string;
            /** @description Lower case; of a device that has yet to join its identity, such as pending */
            readonly MAC: string | "";
            readonly WGPubKey: string | "";
            readonly VLANTag: string;
            readonly RecentIP: string | "";
            readonly DNSCustom: string | "";
            readonly PSKEntry: {
                readonly Type: string;
                readonly Psk: string;
            };
            readonly Policies: readonly ("disabled" | "quarantine" | "wan" | "dns" | "dns:family" | "lan" | "lan_upstream" | "noapi" | "api" | "guestonly")[];
            readonly Groups: readonly string[];
            readonly DeviceTags: readonly string[];
            /** @description 2006-01-02 15:04:05.000 +0000 UTC; empty for never */
            readonly DHCPFirstTime: string;
            readonly DHCPLastTime: string;
            readonly DHCPLastInterface: string;
            readonly Style: {
                readonly Icon: string;
                readonly Color: string;
            };
            readonly DeviceExpiration: number;
            readonly DeleteExpiration: boolean;
            readonly DeviceDisabled: boolean;
            /** @description Associated, or holding a lease */
            readonly Online: boolean;
        };
        readonly DeviceUpdate: {
            readonly Name?: string;
            readonly MAC?: string | "";
            readonly WGPubKey?: string | "";
            readonly VLANTag?: string | "";
            readonly RecentIP?: string | "";
            readonly DNSCustom?: string | "";
            readonly PSKEntry?: {
                /** @enum {string} */
                readonly Type?: "" | "sae" | "wpa" | "wpa2";
                /** @example correct horse battery */
                readonly Psk?: string;
            };
            /** @description A list that changes other policies and leaves out noapi keeps it */
            readonly Policies?: readonly ("disabled" | "quarantine" | "wan" | "dns" | "dns:family" | "lan" | "lan_upstream" | "noapi" | "api" | "guestonly")[];
            /** @description Whether the device can open this router's web UI and SSH: true takes the policy noapi away, false adds it */
            readonly AdminAccess?: boolean;
            readonly Groups?: readonly string[];
            readonly DeviceTags?: readonly string[];
            readonly Style?: {
                readonly Icon?: string;
                readonly Color?: string;
            };
            readonly DeviceExpiration?: number;
            readonly DeleteExpiration?: boolean;
            readonly DeviceDisabled?: boolean;
        };
        readonly DeviceUsage: {
            readonly IP: string;
            readonly BytesIn: number;
            readonly BytesOut: number;
        };
        readonly DiscoveredSender: {
            readonly address: string;
            readonly source: string;
            readonly link: string;
            readonly identity: string;
            readonly services: readonly string[];
            readonly lastSeen: number;
        };
        readonly DnsExplanation: {
            readonly name: string;
            readonly display: string;
            readonly client: {
                readonly address: string;
                readonly identity: string;
                readonly name: string;
            };
            /** @enum {string} */
            readonly verdict: "pass" | "block" | "rewrite" | "quarantine";
            readonly answer: string;
            readonly by: ({
                readonly list: string;
            } | {
                /** @constant */
                readonly builtin: "bypass";
            } | {
                readonly override: {
                    readonly list: string;
                    readonly domain: string;
                    readonly client: string;
                };
            }) | null;
            readonly categories: readonly string[];
            readonly reason: string;
            readonly lists: readonly {
                readonly uri: string;
                readonly domain: string;
                readonly applies: boolean;
                readonly reason: string;
            }[];
            readonly overrides: readonly {
                /** @enum {string} */
                readonly type: "permit" | "block";
                readonly list: string;
                readonly domain: string;
                readonly client: string;
                readonly expiration: number;
                readonly applies: boolean;
                readonly reason: string;
            }[];
        };
        readonly DnsProvider: {
            /** @example 192.168.2.10 */
            readonly IPAddress: string;
            /** @default  */
            readonly TLSHost: string | "";
            /** @default false */
            readonly DisableTls: boolean;
        };
        readonly DnsProviderInput: {
            /** @example 192.168.2.10 */
            readonly IPAddress: string;
            readonly TLSHost?: string | "";
            /** @default false */
            readonly DisableTls: boolean;
        };
        readonly DnsSettings: {
            readonly UpstreamTLSHost: string | "";
            /** @example 192.168.2.10 */
            readonly UpstreamIPAddress: string;
            readonly TlsDisable: boolean;
            readonly UpstreamFamilyTLSHost: string | "";
            /** @example 192.168.2.10 */
            readonly UpstreamFamilyIPAddress: string;
            readonly DisableFamilyTls: boolean;
            readonly UpstreamProviders: readonly components["schemas"]["DnsProvider"][];
            readonly FamilyProviders: readonly components["schemas"]["DnsProvider"][];
            /**
             * @default never
             * @enum {string}
             */
            readonly ProviderResolvers: "never" | "fallback" | "first";
            readonly DisableTls: boolean;
        };
        readonly DnsSettingsUpdate: {
            readonly UpstreamTLSHost: string | "";
            readonly UpstreamIPAddress: string | "";
            readonly TlsDisable: boolean;
            readonly DisableTls?: boolean;
            readonly UpstreamFamilyTLSHost?: string | "";
            readonly UpstreamFamilyIPAddress?: string | "";
            readonly DisableFamilyTls?: boolean;
            readonly UpstreamProviders?: readonly components["schemas"]["DnsProviderInput"][];
            readonly FamilyProviders?: readonly components["schemas"]["DnsProviderInput"][];
            /** @enum {string} */
            readonly ProviderResolvers?: "never" | "fallback" | "first";
        };
        readonly DnsStatus: {
            readonly started: number;
            readonly apiConnected: boolean;
            readonly listening: readonly string[];
            readonly listenErrors: {
                readonly [key: string]: string;
            };
            readonly upstreams: readonly {
                readonly name: string;
                readonly resolvers: readonly components["schemas"]["UpstreamStatus"][];
                readonly clockUntrusted: boolean;
            }[];
            readonly cache: {
                readonly entries: number;
                readonly bytes: number;
            };
            readonly pending: number;
            readonly connections: number;
            readonly counters: {
                readonly [key: string]: number;
            };
            readonly unlogged: number;
        };
        readonly DomainOverride: {
            readonly Type: string;
            readonly Domain: string | ".";
            /** @default  */
            readonly ResultIP: string | "";
            /** @default  */
            readonly ResultCNAME: string | "";
            /** @default * */
            readonly ClientIP: string | "*";
            /** @default 0 */
            readonly Expiration: number;
            /** @default [] */
            readonly Tags: readonly string[];
            readonly Groups?: readonly string[];
            readonly Schedule?: components["schemas"]["Schedule"];
        };
        readonly DomainOverrideInput: {
            readonly Type: string;
            readonly Domain: string | ".";
            readonly ResultIP?: string | "";
            readonly ResultCNAME?: string | "";
            readonly ClientIP?: string | "*";
            /** @default 0 */
            readonly Expiration: number;
            /** @default [] */
            readonly Tags: readonly string[];
            readonly Groups?: readonly string[];
            readonly Schedule?: components["schemas"]["Schedule"];
        };
        readonly Drift: {
            readonly what: string;
            readonly expected: string | null;
            readonly found: string | null;
            readonly urgent: boolean;
        };
        readonly DyndnsConfig: {
            /** @enum {string} */
            readonly provider: "" | "Cloudflare" | "DuckDNS" | "Dyn" | "Dynu" | "Dynv6" | "HE" | "NoIP" | "OVH" | "Strato" | "deSEC" | "Custom";
            readonly email: string;
            /** @description ** where there is one */
            readonly password: string;
            /** @description ** where there is one */
            readonly login_token: string;
            readonly domains: readonly {
                readonly domain_name: string;
                readonly sub_domains: readonly string[];
            }[];
            readonly ip_urls: readonly string[];
            readonly ip_url: string;
            readonly ipv6_url: string;
            /** @enum {string} */
            readonly ip_type: "" | "IPv4";
            readonly interval: number;
            readonly socks5: string;
            readonly resolver: string;
            readonly run_once: boolean;
            readonly update_url: string;
        };
        readonly DyndnsDomain: {
            readonly domain_name: string;
            readonly sub_domains?: readonly string[];
        };
        readonly DyndnsRequest: {
            readonly provider?: string;
            /** @default  */
            readonly email: string;
            /**
             * @description ** leaves the stored one
             * @default
             */
            readonly password: string;
            /**
             * @description ** leaves the stored one
             * @default
             */
            readonly login_token: string;
            readonly domains?: readonly components["schemas"]["DyndnsDomain"][];
            /** @description Pages that answer with the caller's address; none: the address of the first uplink */
            readonly ip_urls?: readonly string[];
            /**
             * @default
             * @enum {string}
             */
            readonly ip_type: "" | "IPv4";
            /**
             * @description Seconds, 60 to 86400
             * @default 300
             */
            readonly interval: number;
            /** @default  */
            readonly update_url: string;
            /** @description Older name of the first of ip_urls */
            readonly ip_url?: string;
            /** @description Ignored: only IPv4 is kept up to date */
            readonly ipv6_url?: string;
            /** @constant */
            readonly socks5?: "";
            /** @description Ignored: the router's own resolver is used */
            readonly resolver?: string | "";
            /** @description Ignored */
            readonly run_once?: boolean;
        };
        readonly DyndnsResult: {
            readonly Host: string;
            /** @description Address that it was last set to; empty before */
            readonly Address: string;
            /** @description Unix seconds of the last attempt; 0 before */
            readonly Time: number;
            readonly OK: boolean;
            /** @description What the provider said, in words */
            readonly Message: string;
        };
        readonly DyndnsStatus: {
            readonly Items: readonly components["schemas"]["DyndnsResult"][];
            /** @description The router's public IPv4 address, as far as it is known */
            readonly Address: string;
        };
        readonly Endpoint: {
            readonly RuleName: string;
            /** @default  */
            readonly Description: string;
            /** @default false */
            readonly Disabled: boolean;
            /** @enum {string} */
            readonly Protocol: "tcp" | "udp";
            /** @default  */
            readonly IP: string | "";
            /** @default  */
            readonly Domain: string | "";
            /** @example 443 */
            readonly Port: string;
            /** @default [] */
            readonly Tags: readonly string[];
        };
        readonly EndpointInput: {
            readonly RuleName: string;
            /** @default  */
            readonly Description: string;
            /** @default false */
            readonly Disabled: boolean;
            /** @enum {string} */
            readonly Protocol: "tcp" | "udp";
            readonly IP?: string | "";
            readonly Domain?: string | "";
            /** @example 443 */
            readonly Port: string;
            /** @default [] */
            readonly Tags: readonly string[];
        };
        readonly EndpointName: {
            readonly RuleName: string;
        };
        readonly EventStoreSettings: {
            /** @description Beginnings of the topics that are stored; an empty text is every topic */
            readonly SaveEvents: readonly string[];
            /** @description Bytes; the oldest events give way */
            readonly MaxSize: number;
            /**
             * @description Bytes of single topics
             * @default []
             */
            readonly TopicLimits: readonly {
                readonly Name: string;
                readonly Size: number;
            }[];
            /**
             * @description Events older than this are deleted
             * @default 90
             */
            readonly Days: number;
        };
        readonly EventStoreSettingsInput: {
            /** @description Beginnings of the topics that are stored; an empty text is every topic */
            readonly SaveEvents: readonly string[];
            /** @description Bytes; the oldest events give way */
            readonly MaxSize: number;
            /**
             * @description Bytes of single topics
             * @default []
             */
            readonly TopicLimits: readonly {
                readonly Name: string;
                readonly Size: number;
            }[];
            /**
             * @description Events older than this are deleted
             * @default 90
             */
            readonly Days: number;
        };
        readonly EventStoreStats: {
            /** @description Bytes */
            readonly Size: number;
            /** @description Topics that are stored or named by the settings */
            readonly Topics: readonly string[];
        };
        readonly ExtraBssRequest: {
            /** @example home */
            readonly Ssid: string;
            readonly Bssid?: string | "";
            /**
             * @default 2
             * @enum {string}
             */
            readonly Wpa: "0" | "1" | "2";
            readonly WpaKeyMgmt?: "" | string;
            /** @default false */
            readonly DisableIsolation: boolean;
            /** @default  */
            readonly GuestPassword: string | ("" | "**");
        };
        readonly FailureEcho: {
            readonly Iface: string;
            readonly Type: string;
            readonly MAC: string;
            readonly Reason: string;
            readonly Status: string;
            readonly Router: string;
        };
        readonly FirewallConfig: {
            readonly ForwardingRules: readonly components["schemas"]["ForwardingRule"][];
            readonly BlockRules: readonly components["schemas"]["BlockRule"][];
            readonly OutputBlockRules: readonly components["schemas"]["OutputBlockRule"][];
            readonly ForwardingBlockRules: readonly components["schemas"]["ForwardingBlockRule"][];
            readonly CustomInterfaceRules: readonly components["schemas"]["CustomInterfaceRule"][];
            readonly ServicePorts: readonly components["schemas"]["ServicePort"][];
            readonly Endpoints: readonly components["schemas"]["Endpoint"][];
            readonly MulticastPorts: readonly components["schemas"]["MulticastPort"][];
            readonly PingLan: boolean;
            readonly PingWan: boolean;
            readonly SystemDNSOverride: string;
        };
        readonly FlatSettings: {
            readonly [key: string]: number | string;
        };
        readonly ForeignChain: {
            readonly family: string;
            readonly table: string;
            readonly chain: string;
            readonly type: string;
            readonly hook: string;
            readonly priority: string;
            readonly policy: string;
            readonly rules: number;
        };
        readonly ForwardingBlockRule: {
            /** @enum {string} */
            readonly Protocol: "tcp" | "udp";
            /** @example 192.168.2.0/24 */
            readonly SrcIP: string;
            /** @example 192.168.2.0/24 */
            readonly DstIP: string;
            /**
             * @default any
             * @example 443
             */
            readonly DstPort: string;
            /** @default  */
            readonly RuleName: string;
            /** @default  */
            readonly Description: string;
            /** @default false */
            readonly Disabled: boolean;
        };
        readonly ForwardingBlockRuleInput: {
            /** @enum {string} */
            readonly Protocol: "tcp" | "udp";
            /** @example 192.168.2.0/24 */
            readonly SrcIP: string;
            /** @example 192.168.2.0/24 */
            readonly DstIP: string;
            /**
             * @default any
             * @example 443
             */
            readonly DstPort: string;
            /** @default  */
            readonly RuleName: string;
            /** @default  */
            readonly Description: string;
            /** @default false */
            readonly Disabled: boolean;
        };
        readonly ForwardingRule: {
            /** @enum {string} */
            readonly Protocol: "tcp" | "udp";
            /**
             * @default 0.0.0.0/0
             * @example 192.168.2.0/24
             */
            readonly SrcIP: string;
            /** @example 443 */
            readonly SrcPort: string;
            /** @example 192.168.2.10 */
            readonly DstIP: string;
            /** @example 443 */
            readonly DstPort: string;
            /** @default [] */
            readonly From: readonly string[];
            /** @default  */
            readonly RuleName: string;
            /** @default  */
            readonly Description: string;
            /** @default false */
            readonly Disabled: boolean;
        };
        readonly ForwardingRuleInput: {
            /** @enum {string} */
            readonly Protocol: "tcp" | "udp";
            /** @example 192.168.2.0/24 */
            readonly SrcIP?: string;
            /** @example 443 */
            readonly SrcPort: string;
            /** @example 192.168.2.10 */
            readonly DstIP: string;
            /** @example 443 */
            readonly DstPort: string;
            readonly From?: readonly string[];
            /** @default  */
            readonly RuleName: string;
            /** @default  */
            readonly Description: string;
            /** @default false */
            readonly Disabled: boolean;
        };
        readonly FullBucket: {
            readonly name: string;
            readonly items: readonly components["schemas"]["BucketItem"][];
        };
        readonly GeoBlockConfig: {
            /** @default false */
            readonly Enabled: boolean;
            readonly DenyCountries: readonly string[];
            /** @default [] */
            readonly DenyASNs: readonly {
                readonly ASN: number;
                /** @default  */
                readonly Name: string;
            }[];
            /** @default [] */
            readonly Lists: readonly {
                readonly URI: string;
                /** @default true */
                readonly Enabled: boolean;
                /** @default  */
                readonly Note: string;
            }[];
            /** @default 86400 */
            readonly RefreshSeconds: number;
        };
        readonly GeoBlockConfigInput: {
            /** @default false */
            readonly Enabled: boolean;
            readonly DenyCountries?: readonly string[];
            /** @default [] */
            readonly DenyASNs: readonly {
                readonly ASN: number;
                /** @default  */
                readonly Name: string;
            }[];
            /** @default [] */
            readonly Lists: readonly {
                readonly URI: string;
                /** @default true */
                readonly Enabled: boolean;
                /** @default  */
                readonly Note: string;
            }[];
            /** @default 86400 */
            readonly RefreshSeconds: number;
        };
        readonly GeoBlockSource: {
            /** @enum {string} */
            readonly Type: "country" | "asn" | "list";
            readonly Key: string;
            readonly Ranges: number;
            readonly ASNs: number;
            readonly LastFetch: string;
            readonly Error: string;
            readonly Packets: number;
            readonly Bytes: number;
        };
        readonly GeoBlockStatus: {
            readonly Enabled: boolean;
            readonly LastRefresh: string;
            readonly RangesProgrammed: number;
            readonly Sources: readonly components["schemas"]["GeoBlockSource"][];
            readonly Error: string;
        };
        readonly GroupName: {
            readonly Name: string;
        };
        readonly GroupUpdate: {
            readonly Name: string;
            /** @default false */
            readonly Disabled: boolean;
            readonly GroupTags?: readonly string[];
            readonly ServiceDestinations?: readonly string[];
            /** @description The name with its capital letters, for people to read */
            readonly Title?: string;
            /** @description True: members do not reach each other, as of a group of guests; names, rules and blocking by group still apply */
            readonly Isolated?: boolean;
            /** @description Access that a device gets when `Members` makes it one */
            readonly Policies?: readonly ("disabled" | "quarantine" | "wan" | "dns" | "dns:family" | "lan" | "lan_upstream" | "noapi" | "api" | "guestonly")[];
            /** @description When members may use the access that `Policies` names, even if granted elsewhere; [] for always */
            readonly Schedule?: readonly components["schemas"]["Schedule"][];
            /** @description All members from now on: new ones get the policies of the group, others leave it */
            readonly Members?: readonly string[];
        };
        readonly GroupView: {
            readonly Name: string;
            readonly Disabled: boolean;
            readonly GroupTags: readonly string[];
            readonly ServiceDestinations: readonly string[];
            /** @description The name as people write it, where that differs by case */
            readonly Title?: string;
            /** @description True where members do not reach each other */
            readonly Isolated?: boolean;
            /** @description What a device gets when it becomes a member by `Members` */
            readonly Policies?: readonly ("disabled" | "quarantine" | "wan" | "dns" | "dns:family" | "lan" | "lan_upstream" | "noapi" | "api" | "guestonly")[];
            /** @description When members may use the access that `Policies` names; absent for always */
            readonly Schedule?: readonly components["schemas"]["Schedule"][];
            /** @description While its schedule withholds the access of its members: when that returns, unix seconds */
            readonly ClosedUntil?: number;
        };
        readonly GuestPass: {
            readonly Identity: string;
            readonly Name: string;
            readonly Password: string;
            readonly Until: number;
        };
        readonly GuestPassRequest: {
            readonly Name: string;
            /** @default 0 */
            readonly Until: number;
        };
        readonly GuestRequest: {
            /** @example home */
            readonly Name: string;
            /**
             * @default shared
             * @enum {string}
             */
            readonly Passwords: "shared" | "guest";
            /** @default  */
            readonly Password: string | ("" | "**");
            /** @default 0 */
            readonly Until: number;
            /** @default [] */
            readonly Radios: readonly string[];
        };
        readonly GuestStatus: {
            readonly Enabled: boolean;
            readonly Name: string;
            /** @enum {string} */
            readonly Passwords: "shared" | "guest";
            readonly Password: string;
            readonly Until: number;
            readonly Radios: readonly string[];
            readonly Networks: readonly string[];
            readonly Free: readonly string[];
            readonly Guests: readonly {
                readonly Identity: string;
                readonly Name: string;
                readonly Until: number;
                readonly Waiting: boolean;
            }[];
        };
        readonly HistoryServerState: {
            /** @description Of the server; empty where the history is sent to none */
            readonly host: string;
            /** @description Events, changed ones and deletions that wait; 100000: that many or more */
            readonly waiting: number;
            /** @description Unix milliseconds of the oldest event that waits; 0 for none */
            readonly oldestAt: number;
            /** @description Unix milliseconds when the server last had everything; 0 before */
            readonly sentAt: number;
            /** @description Unix milliseconds of the last failure; 0 before */
            readonly failedAt: number;
            /** @description What went wrong the last time; empty while it works */
            readonly problem: string;
        };
        readonly HostMapping: {
            readonly Hostname: string;
            /** @example 192.168.2.10 */
            readonly IPAddress: string;
        };
        readonly IcmpOptions: {
            readonly PingLan: boolean;
            readonly PingWan: boolean;
        };
        readonly InterfaceEntry: {
            readonly Name: string;
            /** @enum {string} */
            readonly Type: "AP" | "Uplink" | "Downlink" | "Other";
            readonly Subtype: string;
            readonly Enabled: boolean;
            readonly DisableDHCP?: boolean;
            readonly IP?: string;
            /** @example 192.168.2.10 */
            readonly Router?: string;
            readonly VLAN?: string;
            readonly MACOverride?: string;
            readonly MACRandomize?: boolean;
            readonly MACCloak?: boolean;
            readonly AdditionalIPs?: readonly {
                readonly IP: string;
                readonly Router: string;
            }[];
            readonly ExtraBSS?: readonly {
                /** @example home */
                readonly Ssid: string;
                /** @default  */
                readonly Bssid: string | "";
                /**
                 * @default 2
                 * @enum {string}
                 */
                readonly Wpa: "0" | "1" | "2";
                /** @default  */
                readonly WpaKeyMgmt: "" | string;
                /** @default false */
                readonly DisableIsolation: boolean;
                readonly GuestPassword: string;
            }[];
        } & {
            readonly [key: string]: unknown;
        };
        readonly InterfaceSettings: {
            readonly Name: string;
            /** @enum {string} */
            readonly Type?: "AP" | "Uplink" | "Downlink" | "Other";
            readonly Enabled?: boolean;
            readonly MACOverride?: string | "";
            readonly MACRandomize?: boolean;
            readonly MACCloak?: boolean;
            /**
             * @description With the prefix of its network; without one it keeps that of the same address, or is a /32
             * @example 203.0.113.2/24
             */
            readonly IP?: string;
            /** @example 203.0.113.1 */
            readonly Router?: string;
            readonly AdditionalIPs?: readonly {
                /** @example 203.0.113.2/24 */
                readonly IP: string;
                readonly Router?: string | null;
            }[];
            /**
             * @description How an uplink gets its address: `static` needs `IP` and `Router`, `pppoe` an account. With another one the PPPoE account is deleted
             * @enum {string}
             */
            readonly Addressing?: "dhcp" | "static" | "pppoe";
            /** @description Whether a LAN interface is a VLAN trunk */
            readonly Trunk?: boolean;
            /** @description The account of `pppoe`; it connects while the interface is enabled */
            readonly PPPoE?: {
                readonly Username?: string;
                readonly Secret?: string;
                readonly VLAN?: string;
                readonly MTU?: string;
            };
        };
        readonly IpTraffic: {
            /** @description On which it came in; empty where it is not known */
            readonly Interface: string;
            readonly Src: string;
            readonly Dst: string;
            readonly SrcDomain: string;
            readonly DstDomain: string;
            readonly Packets: number;
            readonly Bytes: number;
            /** @description Seconds without traffic after which the entry is forgotten */
            readonly Timeout: number;
            /** @description Seconds that are left of it */
            readonly Expires: number;
        };
        readonly IwBand: {
            readonly band: string;
            readonly bitrates: readonly string[];
            readonly frequencies: readonly string[];
        } & {
            readonly [key: string]: unknown;
        };
        readonly IwDevices: {
            readonly [key: string]: {
                readonly [key: string]: components["schemas"]["IwInterface"];
            };
        };
        readonly IwInterface: {
            readonly ifindex?: string;
            readonly wdev?: string;
            readonly addr?: string;
            readonly ssid?: string;
            readonly type?: string;
            readonly channel?: string;
            readonly txpower?: string;
            readonly multicast_txq?: {
                readonly qsz_byt: number;
                readonly qsz_pkt: number;
                readonly flows: number;
                readonly drops: number;
                readonly marks: number;
                readonly overlmt: number;
                readonly hashcol: number;
                readonly tx_bytes: number;
                readonly tx_packets: number;
            };
        };
        readonly IwNeighbour: {
            readonly bssid: string;
            readonly interface: string;
            readonly freq: number;
            readonly ssid: string;
            readonly signal_dbm: number;
            readonly authentication_suites: string;
            readonly supported_rates: readonly string[];
        } & {
            readonly [key: string]: number | string | readonly string[];
        };
        readonly IwRadio: {
            readonly wiphy: string;
            readonly bands: readonly components["schemas"]["IwBand"][];
            readonly device_supports: readonly string[];
            readonly supported_ciphers: readonly string[];
            readonly supported_interface_modes: readonly string[];
            readonly supported_commands: readonly string[];
            readonly software_interface_modes: readonly string[];
            readonly valid_interface_combinations: readonly string[];
            readonly supported_tx_frame_types: readonly string[];
            readonly supported_rx_frame_types: readonly string[];
            readonly supported_extended_features: readonly string[];
            readonly ht_capability_overrides: readonly string[];
        } & {
            readonly [key: string]: unknown;
        };
        readonly IwRegulatory: {
            readonly country: string;
            readonly dfs: string | null;
            readonly bands: readonly components["schemas"]["IwRegulatoryBand"][];
        };
        readonly IwRegulatoryBand: {
            readonly start: number;
            readonly end: number;
            readonly max_bandwidth: number;
            readonly max_antenna_gain: number | null;
            readonly max_eirp: number | null;
            readonly flags: readonly string[];
        };
        readonly KernelInterface: {
            readonly ifindex: number;
            readonly ifname: string;
            readonly flags: readonly string[];
            readonly mtu: number;
            readonly qdisc: string;
            readonly operstate: string;
            readonly group: string;
            readonly txqlen?: number;
            readonly link_type: string;
            readonly address?: string;
            readonly broadcast?: string;
            readonly addr_info: readonly ({
                readonly family: string;
                readonly local?: string;
                readonly prefixlen: number;
                readonly scope: string;
                readonly valid_life_time?: number;
                readonly preferred_life_time?: number;
            } & {
                readonly [key: string]: unknown;
            })[];
        } & {
            readonly [key: string]: unknown;
        };
        readonly LeafProbe: {
            readonly IP: string;
            /** @description SHA-256 of its certificate, which its token proved */
            readonly Fingerprint: string;
            readonly Version: string;
            /** @enum {string} */
            readonly Relation: "same" | "older" | "newer" | "unknown";
            readonly LeafMode: boolean;
            /** @description Seconds */
            readonly ClockAhead: number | null;
            /** @description Devices that it has and this router does not: they go when it joins */
            readonly Lost: readonly {
                readonly Identity: string;
                readonly Name: string;
            }[];
            /** @description LAN subnets that it serves and that overlap those of this router: it needs others until it has joined */
            readonly Overlaps: readonly string[];
            /** @description It is a router of the existing API, which has no links: its clients come to this network by the cable, not encrypted */
            readonly Plain: boolean;
        };
        readonly LeafRouterAnswer: {
            readonly IP: string;
            /** @description ** where there is one */
            readonly APIToken: string;
            readonly TLSCA: string;
            /** @description Null where the networks are not connected */
            readonly Link: components["schemas"]["MeshLink"] | null;
            /** @description Of this router in the tunnel of the link; empty without one */
            readonly PublicKey: string;
            /** @description Of the other router; empty until it is known */
            readonly PeerKey: string;
        };
        readonly LeafRouterRequest: {
            /** @example 192.168.2.10 */
            readonly IP: string;
            /**
             * @description Of the leaf; ** or nothing leaves the stored one
             * @default
             */
            readonly APIToken: string;
            /**
             * @default
             * @constant
             */
            readonly TLSCA: "";
            /**
             * @description `wireguard`: clients of the leaf are on the network of this router, by an encrypted link. `vxlan`: the same without encryption, for a cable that nobody else can tap. `none`: they are on a network of the leaf's own, or where the leaf is a router of the existing API, on that of this router by the cable, not encrypted. `auto`: `none` for such a router, `wireguard` for any other. A link as responses show it means its kind, and null means `none`, also for a leaf router that had another
             * @default auto
             */
            readonly Link: ("auto" | "wireguard" | "vxlan" | "none") | components["schemas"]["MeshLink"] | null;
        };
        readonly LeafState: {
            readonly IP: string;
            /** @description Of the device with this address; empty where there is none */
            readonly Name: string;
            /**
             * @description synced: it has the devices of now; behind: it has yet to take them; notLeaf: it is not in leaf mode; untrusted: it shows another certificate; refused: it refuses the token
             * @enum {string}
             */
            readonly Status: "connecting" | "synced" | "behind" | "notLeaf" | "unreachable" | "untrusted" | "refused";
            /** @description Why, in a sentence; empty where all is well */
            readonly Problem: string;
            readonly Version: string;
            /**
             * @description Its version beside ours
             * @enum {string}
             */
            readonly Relation: "same" | "older" | "newer" | "unknown";
            /** @description Seconds; null where it is not known */
            readonly ClockAhead: number | null;
            /** @description Devices that it has of this router */
            readonly Devices: number;
            /** @description What needs attention on it */
            readonly Notices: readonly string[];
            readonly Stations: readonly {
                readonly MAC: string;
                readonly Name: string;
                /** @description Of the leaf */
                readonly Iface: string;
                readonly SSID: string;
                /** @description dBm */
                readonly RSSI: number | null;
            }[];
            /** @description How its clients are on the network of this router; null where they have one of the leaf's own */
            readonly Link: {
                /**
                 * @description `vxlan`: Ethernet frames in UDP between them (RFC 7348), readable on the wire. `wireguard`: the same in a WireGuard tunnel
                 * @enum {string}
                 */
                readonly Kind: "wireguard" | "vxlan";
                /** @description Of this router */
                readonly Interface: string;
                /**
                 * @description connected: the leaf has its end, and their tunnel stands where the link has one; waiting: not yet; away: the leaf does not respond
                 * @enum {string}
                 */
                readonly State: "connected" | "waiting" | "away";
                /** @description Why the tunnel of the link does not run; empty where it does */
                readonly Problem: string;
            } | null;
            /** @description It is a router of the existing API: its clients are on the network of this router by the cable, not encrypted */
            readonly Plain: boolean;
            /** @description SHA-256 of the certificate that it is trusted by */
            readonly Fingerprint: string;
            /** @description Unix milliseconds of the last contact; 0 before the first */
            readonly ContactAt: number;
        };
        readonly LeafToken: {
            readonly Token: string;
            readonly Fingerprint: string;
        };
        readonly LeafUpdate: {
            readonly IP: string;
            /** @description How its release is installed; empty where it runs already */
            readonly Text: string;
        };
        readonly LeaseItem: {
            readonly identity: string;
            readonly address: string;
            /** @description Interface where it was last seen; null for never */
            readonly interface: string | null;
            /** @description Last renewal in unix milliseconds; null for never */
            readonly since: number | null;
            /** @description When the lease expires, in unix milliseconds */
            readonly until: number | null;
            readonly name: string;
            readonly online: boolean;
            /** @description Client identifier (option 61) in hexadecimal; "" for none */
            readonly clientId: string;
            /** @description Other devices with the same client identifier: the same machine with another MAC address */
            readonly sameClient: readonly string[];
        };
        readonly LinkUpdate: {
            readonly Name: string;
            /** @enum {string} */
            readonly Type?: "AP" | "Uplink" | "Downlink" | "Other";
            readonly Subtype?: string;
            readonly Enabled?: boolean;
            readonly MACOverride?: string | "";
            readonly MACRandomize?: boolean;
            readonly MACCloak?: boolean;
        };
        readonly LintFinding: {
            /** @enum {string} */
            readonly kind: "duplicate" | "shadowed" | "contradiction" | "dangling" | "useless";
            /** @enum {string} */
            readonly severity: "warning" | "info";
            readonly rule: components["schemas"]["RuleReference"];
            readonly other: components["schemas"]["RuleReference"] | null;
            readonly text: string;
            readonly fix: {
                readonly summary: string;
                /** @enum {string} */
                readonly method: "PUT" | "DELETE";
                readonly path: string;
                readonly body: unknown;
            } | null;
        };
        readonly LiveConnection: {
            readonly id: number;
            /** @enum {string} */
            readonly protocol: "tcp" | "udp" | "icmp";
            readonly device: string;
            readonly devicePort: number | null;
            readonly remote: string;
            readonly remotePort: number | null;
            /** @description True where the remote end began it */
            readonly inbound: boolean;
            /** @description By which the device resolved the remote end; empty for none */
            readonly name: string;
            readonly asn: number;
            readonly network: string;
            readonly country: string;
            /** @description Since it began; null: longer than it is followed */
            readonly seconds: number | null;
            readonly packetsIn: number;
            readonly packetsOut: number;
            readonly bytesIn: number;
            readonly bytesOut: number;
        };
        readonly LiveConnections: {
            readonly items: readonly components["schemas"]["LiveConnection"][];
            readonly next: string | null;
            /** @description All that match */
            readonly total: number;
        };
        readonly LogLine: {
            readonly CONTAINER_NAME: string;
            readonly MESSAGE: string;
            readonly __REALTIME_TIMESTAMP: number;
            readonly PRIORITY: string;
            readonly _TRANSPORT: string;
        };
        readonly Login: {
            readonly Name: string;
            readonly Password: string;
        };
        readonly LoginAnswer: {
            readonly name: string;
            readonly role: components["schemas"]["UserRole"];
            readonly id: string;
            readonly expires: number;
            readonly otp: components["schemas"]["OtpStatus"];
        };
        /** @enum {string} */
        readonly LookupDataset: "asn" | "country" | "oui";
        readonly LookupDatasetStatus: {
            readonly Dataset: components["schemas"]["LookupDataset"];
            readonly Source: string;
            readonly License: string;
            readonly Attribution: readonly {
                readonly Name: string;
                readonly URL: string;
            }[];
            readonly Compiled: string;
            readonly Rows: number;
            readonly Bytes: number;
            readonly Error: string;
        };
        readonly MachineInterface: {
            readonly name: string;
            readonly mac: string;
            readonly hardware: boolean;
            readonly radio: boolean;
        };
        readonly MatrixClass: {
            /** @enum {string} */
            readonly kind: "device" | "internet" | "router";
            readonly members: readonly string[];
            readonly groups: readonly string[];
            readonly policies: readonly string[];
        };
        readonly MeshConfig: {
            readonly LeafMode: boolean;
            readonly ParentIP: string;
            /** @description ** where there is one */
            readonly ParentAPIToken: string;
            readonly ParentCA: string;
            readonly ParentCredentials: {
                readonly ParentIP: string;
                readonly ParentAPIToken: string;
                readonly ParentCA: string;
                /** @description Null where clients are not on the network of the parent */
                readonly Link: components["schemas"]["MeshLink"] | null;
                /** @description Of this router in the tunnel of the link; empty without one */
                readonly PublicKey: string;
                /** @description Of the other router; empty until it is known */
                readonly PeerKey: string;
            };
            readonly LeafRouters: readonly components["schemas"]["LeafRouterAnswer"][];
            /** @description LAN subnets that this router serves itself */
            readonly Networks: readonly string[];
        };
        readonly MeshLink: {
            /**
             * @description `vxlan`: Ethernet frames in UDP between them (RFC 7348), readable on the wire. `wireguard`: the same in a WireGuard tunnel
             * @enum {string}
             */
            readonly Kind: "wireguard" | "vxlan";
            readonly Number: number;
        };
        readonly MeshStatus: {
            /** @enum {string} */
            readonly Role: "off" | "parent" | "leaf";
            /** @description Whether HTTPS is on, which a mesh needs */
            readonly TLS: boolean;
            /** @description SHA-256 of the certificate that others trust this router by */
            readonly Fingerprint: string;
            /** @description Whether a parent could add this router with its token */
            readonly HasLeafToken: boolean;
            readonly ParentIP: string;
            /** @description Unix milliseconds at which the parent last sent devices; 0 for never */
            readonly SyncedAt: number;
            readonly SyncedDevices: number;
            readonly Leaves: readonly components["schemas"]["LeafState"][];
        };
        readonly MissingInterface: {
            readonly name: string;
            /** @enum {string} */
            readonly role: "uplink" | "lan" | "vlan-trunk" | "radio" | "other";
            readonly mac: string;
            readonly here: boolean;
            readonly suggestion: string;
        };
        readonly MulticastAddress: {
            /** @example 224.0.0.251:5353 */
            readonly Address: string;
            /** @default false */
            readonly Disabled: boolean;
            /** @default [] */
            readonly Tags: readonly string[];
            /** @default  */
            readonly Description: string;
        };
        readonly MulticastAddressInput: {
            /** @example 224.0.0.251:5353 */
            readonly Address: string;
            /** @default false */
            readonly Disabled: boolean;
            /** @default [] */
            readonly Tags: readonly string[];
            /** @default  */
            readonly Description: string;
        };
        readonly MulticastPort: {
            /** @example 443 */
            readonly Port: string;
            /** @default false */
            readonly Upstream: boolean;
        };
        readonly MulticastPortInput: {
            /** @example 443 */
            readonly Port: string;
            /** @default false */
            readonly Upstream: boolean;
        };
        readonly MulticastPortName: {
            /** @example 443 */
            readonly Port: string;
        };
        readonly MulticastSettings: {
            /** @default false */
            readonly Disabled: boolean;
            /** @default [] */
            readonly Addresses: readonly components["schemas"]["MulticastAddress"][];
            /** @default false */
            readonly DisableMDNSAdvertise: boolean;
            /** @default  */
            readonly MDNSName: string;
        };
        readonly MulticastSettingsInput: {
            /** @default false */
            readonly Disabled: boolean;
            readonly Addresses?: readonly components["schemas"]["MulticastAddressInput"][];
            /** @default false */
            readonly DisableMDNSAdvertise: boolean;
            /** @default  */
            readonly MDNSName: string;
        };
        readonly NameUsage: {
            /** @description By which devices resolved the address; empty for none */
            readonly Name: string;
            /** @description The address of it with the most traffic */
            readonly IP: string;
            readonly ASN: number;
            readonly ASNName: string;
            readonly Country?: string;
            readonly BytesIn: number;
            readonly BytesOut: number;
            /** @description At most 50, by bytes */
            readonly Devices: readonly components["schemas"]["DeviceUsage"][];
        };
        readonly NeededPackage: {
            readonly name: string;
            readonly installed: boolean | null;
            readonly neededBy: readonly {
                readonly process: string;
                readonly why: string;
            }[];
        };
        readonly NetworkStatus: {
            /** @enum {string} */
            readonly state: "applied" | "model" | "blocked" | "broken" | "released";
            readonly detail: string | null;
            readonly drift: readonly components["schemas"]["Drift"][];
            readonly more: number;
            readonly foreign: readonly components["schemas"]["ForeignChain"][];
        };
        readonly NewBucket: {
            readonly name: string;
        };
        readonly Notice: {
            readonly id: string;
            readonly kind: string;
            readonly detail: string;
            readonly data: {
                readonly [key: string]: unknown;
            };
            readonly at: number;
            readonly lastAt: number;
            readonly count: number;
            readonly resolvedAt: number | null;
            readonly resolvedBy: string | null;
            /** @description It is not listed before this moment */
            readonly snoozedUntil: number | null;
        };
        readonly NoticeList: {
            readonly items: readonly components["schemas"]["Notice"][];
            readonly next: string | null;
        };
        readonly NoticeSnooze: {
            readonly Minutes: number;
        };
        readonly OtpRecovery: {
            readonly Codes: readonly string[];
        };
        readonly OtpRequest: {
            /** @default  */
            readonly Name: string;
            /** @default  */
            readonly Code: string;
            /** @default false */
            readonly UpdateAlwaysOn: boolean;
            /** @default false */
            readonly AlwaysOn: boolean;
        };
        readonly OtpSettings: {
            readonly OTPUsers: readonly {
                readonly Name: string;
                readonly Secret: string;
                readonly Confirmed: boolean;
                readonly AlwaysOn: boolean;
            }[];
            readonly JWTDurationSeconds: number;
        };
        readonly OtpStatus: {
            /** @enum {string} */
            readonly State: "unregistered" | "not yet validated" | "registered";
            readonly AlwaysOn: boolean;
            readonly Confirmed: boolean;
            readonly RecoveryCodes?: number;
        };
        readonly OtpSync: {
            /** @description The token of this leaf */
            readonly Token: string;
            readonly Settings: {
                readonly OTPUsers: readonly {
                    readonly Name: string;
                    readonly Secret: string;
                    readonly Confirmed: boolean;
                    readonly AlwaysOn: boolean;
                }[];
                readonly JWTDurationSeconds: number;
            };
        };
        readonly OuiResult: {
            readonly MAC: string;
            readonly Vendor: string;
        };
        readonly OutputBlockRule: components["schemas"]["ForwardingBlockRule"];
        readonly OutputBlockRuleInput: components["schemas"]["ForwardingBlockRuleInput"];
        readonly OverrideBody: {
            readonly Type: string;
            readonly Domain: string | ".";
            readonly ResultIP?: string | "";
            readonly ResultCNAME?: string | "";
            readonly ClientIP?: string | "*";
            /** @default 0 */
            readonly Expiration: number;
            /** @default [] */
            readonly Tags: readonly string[];
            readonly Groups?: readonly string[];
            readonly Schedule?: components["schemas"]["Schedule"];
            readonly Replaces?: components["schemas"]["OverrideName"];
        };
        readonly OverrideList: {
            /** @default [] */
            readonly PermitDomains: readonly components["schemas"]["DomainOverride"][];
            /** @default [] */
            readonly BlockDomains: readonly components["schemas"]["DomainOverride"][];
            /** @default true */
            readonly Enabled: boolean;
            /** @default [] */
            readonly Tags: readonly string[];
            readonly Name: string;
        };
        readonly OverrideListBody: {
            readonly Name: string;
            /** @default true */
            readonly Enabled: boolean;
            /** @default [] */
            readonly Tags: readonly string[];
            readonly PermitDomains?: readonly components["schemas"]["DomainOverrideInput"][];
            readonly BlockDomains?: readonly components["schemas"]["DomainOverrideInput"][];
        };
        readonly OverrideListRef: {
            readonly Name?: string;
        };
        readonly OverrideName: {
            readonly Type: string;
            readonly Domain: string | ".";
            readonly ClientIP?: string | "*";
            readonly Groups?: readonly string[];
        };
        readonly PackageList: {
            readonly items: readonly components["schemas"]["NeededPackage"][];
            readonly installs: boolean;
            readonly installing: boolean;
        };
        readonly PacketLogSettings: {
            /**
             * @description `drops`: packets that a rule blocks; `all`: the first packets of allowed connections as well
             * @enum {string}
             */
            readonly Log: "off" | "drops" | "all";
        };
        readonly PacketTrace: {
            /** @enum {string} */
            readonly verdict: "accept" | "drop" | "reject";
            readonly steps: readonly {
                readonly table: string;
                readonly chain: string;
                readonly comment: string;
                readonly element?: {
                    readonly set: string;
                    readonly key: readonly string[];
                };
                /** @enum {string} */
                readonly outcome: "accept" | "drop" | "reject" | "continue" | "translate";
            }[];
        };
        readonly ParentCredentials: {
            /** @example 192.168.2.10 */
            readonly ParentIP: string;
            readonly ParentAPIToken: string;
            /**
             * @default
             * @example -----BEGIN CERTIFICATE-----
             *     MIIBszCCAVmg
             *     -----END CERTIFICATE-----
             */
            readonly ParentCA: string;
            /**
             * @description Address of the leaf, which its reports name
             * @default
             */
            readonly LeafIP: string | "";
            /**
             * @description How clients of the leaf come to the network of the parent; null where they do not
             * @default null
             */
            readonly Link: components["schemas"]["MeshLink"] | null;
            /**
             * @description Public key of the parent in the tunnel to this leaf; another one than before makes the leaf draw a new key of its own
             * @default
             */
            readonly PeerKey: string | "";
        };
        readonly PasskeyDeletion: {
            readonly ID: string;
        };
        readonly PasskeyLogin: {
            readonly Name: string;
            readonly Token: string;
            readonly Expire: number;
        };
        readonly PasskeyStatus: {
            readonly Registered: boolean;
            readonly Credentials: readonly {
                readonly ID: string;
                readonly Name: string;
                readonly CreatedAt: number;
                readonly LastUsed: number;
                readonly Host: string;
            }[];
        };
        readonly PasswordChange: {
            readonly Current: string;
            readonly New: string;
        };
        readonly PatchEntry: {
            readonly document: string;
            readonly path: readonly string[];
            readonly before?: unknown;
            readonly after?: unknown;
            readonly index?: number;
        };
        readonly Plugin: {
            /** @example sample-plugin */
            readonly Name: string;
            /**
             * @default
             * @example sample
             */
            readonly URI: string;
            /**
             * @default
             * @example /state/plugins/sample-plugin/socket
             */
            readonly UnixPath: string;
            /** @default false */
            readonly Enabled: boolean;
            /** @default false */
            readonly Plus: boolean;
            /**
             * @default
             * @example https://git.example.org/me/plugin
             */
            readonly GitURL: string;
            /** @default  */
            readonly ComposeFilePath: "" | string;
            /** @default false */
            readonly HasUI: boolean;
            readonly SandboxedUI?: boolean;
            /** @default false */
            readonly HasTopology: boolean;
            /**
             * @default
             * @example puzzle
             */
            readonly Icon: string;
            /** @default  */
            readonly InstallTokenPath: string;
            /** @default [] */
            readonly ScopedPaths: readonly string[];
            /** @default  */
            readonly codeHash: string;
            /** @default  */
            readonly signer: string;
            /** @default  */
            readonly version: "" | string;
        };
        readonly PluginManifest: {
            /** @example sample-plugin */
            readonly Name: string;
            /** @example sample */
            readonly URI: string;
            /** @example 1.0.0 */
            readonly Version: string;
            /** @default  */
            readonly Description: string;
            /** @example main.ts */
            readonly Main: string;
            /** @default false */
            readonly HasUI: boolean;
            /**
             * @default
             * @example puzzle
             */
            readonly Icon: string;
            /** @default [] */
            readonly ScopedPaths: readonly string[];
            /**
             * @default {
             *       "net": [],
             *       "read": [],
             *       "write": [],
             *       "run": [],
             *       "ffi": [],
             *       "env": [],
             *       "sys": []
             *     }
             */
            readonly Permissions: {
                /** @default [] */
                readonly net: true | readonly string[];
                /** @default [] */
                readonly read: true | readonly string[];
                /** @default [] */
                readonly write: true | readonly string[];
                /** @default [] */
                readonly run: true | readonly string[];
                /** @default [] */
                readonly ffi: true | readonly string[];
                /** @default [] */
                readonly env: true | readonly string[];
                /** @default [] */
                readonly sys: true | readonly string[];
            };
            /** @default 64 */
            readonly MemoryMiB: number;
            /** @default  */
            readonly Hash: string;
        };
        readonly PluginReview: {
            /** @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 */
            readonly hash: string;
            readonly manifest: components["schemas"]["PluginManifest"];
            readonly rights: readonly components["schemas"]["PluginRight"][];
            /** @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 */
            readonly signer: string;
            /** @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 */
            readonly signedBefore: string;
            readonly change: {
                /** @example 1.0.0 */
                readonly from: string;
                readonly isOlder: boolean;
                readonly added: readonly components["schemas"]["PluginRight"][];
                readonly removed: readonly components["schemas"]["PluginRight"][];
            } | null;
        };
        readonly PluginRight: {
            readonly text: string;
            readonly isDangerous: boolean;
        };
        readonly PluginStatus: {
            /** @example sample-plugin */
            readonly name: string;
            /** @enum {string} */
            readonly state: "off" | "running" | "waiting" | "down";
            readonly detail: string;
            readonly since: number;
            readonly restarts: number;
            readonly memory: number;
            readonly version: string;
            readonly rights: readonly {
                readonly text: string;
                readonly isDangerous: boolean;
            }[] | null;
        };
        readonly PluginUiSession: {
            readonly token: string;
            readonly sessionId: string;
            readonly pluginURI: string;
            readonly expiresAt: number;
            /** @constant */
            readonly protocolVersion: 1;
        };
        readonly PlusRule: {
            readonly Conditions: {
                readonly Prefix: string;
                readonly Protocol: string;
                readonly DstIP: string;
                readonly DstPort: number;
                readonly SrcIP: string;
                readonly SrcPort: number;
            };
            readonly Notification: boolean;
        };
        readonly PoolUse: {
            readonly net: string;
            readonly size: number;
            readonly used: number;
        };
        readonly PppEntry: {
            readonly Iface: string;
            /** @default  */
            readonly PPPIface: string | "";
            /** @default false */
            readonly Enabled: boolean;
            readonly Username: string;
            /** @default  */
            readonly Secret: string;
            readonly VLAN: string;
            readonly MTU: string;
        };
        readonly PppFile: {
            readonly PPPs: readonly components["schemas"]["PppEntry"][];
        };
        readonly PppUpdate: {
            readonly Iface: string;
            readonly Enabled?: boolean;
            readonly Username?: string;
            readonly Secret?: string;
            readonly VLAN?: string;
            readonly MTU?: string;
        };
        readonly Preview: {
            readonly config: readonly components["schemas"]["PatchEntry"][];
            readonly effects: readonly string[];
            readonly system: readonly string[];
            readonly addresses: readonly string[];
            readonly firstApply: {
                readonly items: readonly components["schemas"]["NeededPackage"][];
                readonly installs: boolean;
            } | null;
            readonly reach: {
                readonly allowed: readonly components["schemas"]["AccessChange"][];
                readonly denied: readonly components["schemas"]["AccessChange"][];
                readonly more: number;
                readonly own: {
                    readonly before: components["schemas"]["PacketTrace"];
                    readonly after: components["schemas"]["PacketTrace"];
                } | null;
            };
            readonly refusals: readonly components["schemas"]["Refusal"][];
        };
        /**
         * @example {
         *       "type": "about:blank",
         *       "title": "Bad request",
         *       "status": 400,
         *       "detail": "/Name: This is needed: a text",
         *       "errors": [
         *         {
         *           "pointer": "/Name",
         *           "message": "This is needed: a text"
         *         }
         *       ]
         *     }
         */
        readonly Problem: {
            /** @constant */
            readonly type: "about:blank";
            readonly title: string;
            readonly status: number;
            readonly detail: string;
            /** @description Parts of `detail` where it has values in it, by which it can be translated */
            readonly sentence?: {
                /** @description The sentence with `{name}` in the place of each value */
                readonly id: string;
                readonly values: {
                    readonly [key: string]: string | number;
                };
            };
            readonly errors?: readonly {
                /** @description JSON pointer to the field, as the request names it */
                readonly pointer: string;
                readonly message: string;
                /** @description The same of `message` */
                readonly sentence?: {
                    /** @description The sentence with `{name}` in the place of each value */
                    readonly id: string;
                    readonly values: {
                        readonly [key: string]: string | number;
                    };
                };
            }[];
        } & {
            readonly [key: string]: unknown;
        };
        readonly QueryAnswer: {
            readonly Hdr: {
                readonly Name: string;
                readonly Rrtype: number;
                readonly Class: number;
                readonly Ttl: number;
                readonly Rdlength: number;
            };
        } & {
            readonly [key: string]: unknown;
        };
        readonly QueryLogConfig: {
            readonly HostPrivacyIPList: readonly string[];
            readonly DomainIgnoreList: readonly string[];
            readonly StoreLocalMemory: boolean;
            readonly RetentionDays: number;
            readonly RetentionMegabytes: number;
        };
        readonly QueryLogEntry: {
            readonly Q: readonly components["schemas"]["QueryQuestion"][];
            readonly A: readonly components["schemas"]["QueryAnswer"][];
            readonly Type: string;
            readonly FirstName: string;
            readonly FirstAnswer: string;
            readonly Local: string;
            readonly Remote: string;
            readonly Categories: readonly string[];
            readonly Timestamp: string;
            readonly id: number;
            /** @enum {string} */
            readonly verdict: "pass" | "local" | "permit" | "block" | "rewrite" | "quarantine" | "rebind" | "refused";
            readonly by: string;
            readonly rcode: number;
            readonly upstream: string;
            readonly ms: number;
            readonly identity: string;
        };
        readonly QueryLogStatus: {
            readonly bytes: number;
            readonly oldest: number | null;
            readonly counts: {
                readonly [key: string]: number;
            };
            readonly series: readonly {
                readonly time: number;
                readonly counts: {
                    readonly [key: string]: number;
                };
            }[];
            readonly dropped: number;
        };
        readonly QueryQuestion: {
            readonly Name: string;
            readonly Qtype: number;
            readonly Qclass: number;
        };
        readonly RadarLog: {
            readonly listening: number;
            readonly until: number;
            readonly seenAt: number;
            readonly seenOn: number;
            readonly movedTo: number;
        };
        readonly Radio: {
            readonly name: string;
            readonly phy: string;
            readonly mac: string;
            readonly accessPoint: boolean;
            readonly perStation: boolean;
            readonly ciphers: readonly ("CCMP" | "CCMP-256" | "GCMP" | "GCMP-256")[];
            readonly networks: number;
            readonly bands: readonly components["schemas"]["RadioBand"][];
            readonly type: string;
            readonly enabled: boolean;
            readonly state: components["schemas"]["RadioState"] | null;
        };
        readonly RadioAir: {
            readonly radio: string;
            readonly enabled: boolean;
            /** @enum {string} */
            readonly band: "5" | "6" | "2.4";
            readonly channel: number;
            readonly width: number;
            readonly from: number;
            readonly to: number;
            readonly scannedAt: number;
            readonly networks: readonly components["schemas"]["AirNetwork"][];
            readonly channels: readonly components["schemas"]["ChannelUse"][];
            readonly recommendation: components["schemas"]["ChannelRecommendation"] | null;
            readonly radar: components["schemas"]["RadarLog"];
        };
        readonly RadioBand: {
            /** @enum {string} */
            readonly band: "5" | "6" | "2.4";
            readonly channels: readonly components["schemas"]["RadioChannel"][];
            readonly ht: number | null;
            readonly vht: number | null;
            readonly he: boolean;
            readonly eht: boolean;
        };
        readonly RadioChannel: {
            readonly channel: number;
            readonly frequency: number;
            readonly maxPower: number;
            /** @enum {string} */
            readonly use: "usable" | "radar" | "passive" | "disabled";
        };
        readonly RadioState: {
            readonly name: string;
            /** @enum {string} */
            readonly state: "enabled" | "starting" | "failsafe" | "refused" | "missing" | "renamed" | "stopped";
            readonly channel: number;
            readonly frequency: number;
            readonly problem: string;
            readonly waiting: string;
        };
        readonly RadioUpdate: {
            readonly Ssid?: string | "";
            /** @example  */
            readonly Ssid_hex?: string;
            readonly Country_code?: string | "";
            /** @enum {string} */
            readonly Hw_mode?: "a" | "b" | "g" | "";
            readonly Channel?: number;
            readonly AutoSelectChannel?: boolean;
            readonly Op_class?: 0 | number;
            readonly Ht_capab?: string;
            readonly Vht_capab?: string;
            readonly Rsn_pairwise?: string | "";
            readonly Ieee80211ax?: number;
            readonly Ieee80211be?: number;
            readonly He_su_beamformer?: number;
            readonly He_su_beamformee?: number;
            readonly He_mu_beamformer?: number;
            readonly Vht_oper_chwidth?: number;
            readonly He_oper_chwidth?: number;
            readonly Eht_oper_chwidth?: number;
            readonly Vht_oper_centr_freq_seg0_idx?: number;
            readonly He_oper_centr_freq_seg0_idx?: number;
            readonly Eht_oper_centr_freq_seg0_idx?: number;
            readonly Rrm_neighbor_report?: number;
            readonly Rrm_beacon_report?: number;
            readonly Rrm_link_measurement_report?: number;
            readonly Bss_transition?: number;
            readonly Time_advertisement?: 0 | 2;
            readonly Rssi_reject_assoc_rssi?: number;
            readonly Rssi_reject_assoc_timeout?: number;
            readonly Rssi_ignore_probe_request?: number;
            readonly Mld_ap?: number;
            readonly Mlo_channel?: number;
            readonly Mlo_bandwidth?: number;
            /** @enum {string} */
            readonly Mlo_hw_mode?: "" | "a" | "b" | "g";
            readonly Mlo_ht_capab?: string;
            readonly Mlo_vht_capab?: string;
        };
        readonly Radios: {
            readonly items: readonly components["schemas"]["Radio"][];
            readonly country: string;
            readonly hostapd: string;
        };
        readonly ReachAnswer: {
            /** @enum {string} */
            readonly verdict: "accept" | "drop" | "reject";
            readonly reason: string;
            readonly rules: readonly components["schemas"]["ReachRule"][];
            readonly from: components["schemas"]["ReachEnd"];
            readonly to: components["schemas"]["ReachEnd"];
            readonly suggestions?: readonly components["schemas"]["ReachSuggestion"][];
        };
        readonly ReachEnd: {
            /** @enum {string} */
            readonly kind: "device" | "router" | "internet" | "address";
            readonly name: string;
            readonly identity: string | null;
            readonly address: string | null;
            readonly link: string | null;
            readonly leaf: string | null;
        };
        readonly ReachMatrix: {
            readonly classes: readonly components["schemas"]["MatrixClass"][];
            readonly answers: readonly {
                /** @enum {string} */
                readonly access: "everything" | "part" | "nothing" | "denied";
                readonly reason: string;
            }[];
            readonly cells: readonly (readonly number[])[];
        };
        readonly ReachRule: {
            readonly description: string;
            readonly table: string;
            readonly chain: string;
            readonly set?: string;
            readonly key?: readonly string[];
            /** @enum {string} */
            readonly outcome: "accept" | "drop" | "reject" | "continue" | "translate";
            readonly decides: boolean;
        };
        readonly ReachSuggestion: {
            readonly summary: string;
            /** @enum {string} */
            readonly method: "PUT" | "DELETE";
            readonly path: string;
            readonly body: unknown;
            readonly sideEffects: string;
            readonly allows: number;
            readonly denies: number;
            readonly to?: string;
        };
        readonly ReachTest: {
            readonly Name: string;
            /** @example 02:00:00:00:0a:01 */
            readonly From: string;
            /** @example 02:00:00:00:0a:01 */
            readonly To: string;
            /** @enum {string} */
            readonly Protocol?: "tcp" | "udp" | "icmp";
            /** @default  */
            readonly Port: string | "";
            /** @enum {string} */
            readonly Expect: "accept" | "drop";
        };
        readonly ReachTestName: {
            readonly Name: string;
        };
        readonly ReachTestResult: {
            readonly Name: string;
            /** @example 02:00:00:00:0a:01 */
            readonly From: string;
            /** @example 02:00:00:00:0a:01 */
            readonly To: string;
            /**
             * @default tcp
             * @enum {string}
             */
            readonly Protocol: "tcp" | "udp" | "icmp";
            /** @default  */
            readonly Port: string | "";
            /** @enum {string} */
            readonly Expect: "accept" | "drop";
            readonly passes: boolean;
            /** @enum {string} */
            readonly verdict: "accept" | "drop" | "reject";
            readonly reason: string;
        };
        readonly Refusal: {
            /** @enum {string} */
            readonly kind: "window" | "guard" | "lockout" | "path";
            readonly detail: string;
            readonly members: {
                readonly [key: string]: unknown;
            };
        };
        readonly RegistrationAnswer: {
            readonly session: string;
            readonly credential: {
                readonly id: string;
                readonly rawId: string;
                /** @constant */
                readonly type: "public-key";
                readonly response: {
                    readonly clientDataJSON: string;
                    readonly attestationObject: string;
                    /** @default [] */
                    readonly transports: readonly string[];
                };
            };
        };
        readonly Release: {
            readonly CustomChannel: string;
            readonly CustomVersion: string;
            readonly Current: string;
        };
        readonly ReleaseSet: {
            /** @default  */
            readonly CustomChannel: string;
            /** @default  */
            readonly CustomVersion: string;
            /** @default  */
            readonly Current: string;
        };
        readonly Resources: {
            /** @description Processes that wait or run, over the last minute */
            readonly Load: number;
            /** @description Processors */
            readonly Cores: number;
            readonly MemoryTotal: number;
            /** @description What programs can still get */
            readonly MemoryFree: number;
            readonly DiskTotal: number;
            readonly DiskFree: number;
        };
        readonly RestoreRequest: {
            /**
             * @description Interfaces of this machine, by the interfaces of the backup that they replace
             * @default {}
             */
            readonly Interfaces: {
                readonly [key: string]: string;
            };
        };
        readonly RoamingArm: {
            readonly Count: number;
            readonly Value: number;
            readonly LastReward: number;
            /**
             * Format: date-time
             * @example 2026-01-01T12:00:00.000Z
             */
            readonly UpdatedAt: string;
        };
        readonly RoamingConfig: {
            /** @default true */
            readonly DryRun: boolean;
            readonly PollIntervalSeconds: number;
            readonly ObservationDelaySeconds: number;
            readonly RSSIThresholdDBM: number;
            readonly MinimumImprovementDBM: number;
            readonly CooldownSeconds: number;
            readonly MaxTransitionsPerHour: number;
            readonly ExplorationRate: number;
            readonly AllowedInterfaces: readonly string[];
        };
        readonly RoamingConfigInput: {
            /** @default true */
            readonly DryRun: boolean;
            readonly PollIntervalSeconds: number;
            readonly ObservationDelaySeconds: number;
            readonly RSSIThresholdDBM: number;
            readonly MinimumImprovementDBM: number;
            readonly CooldownSeconds: number;
            readonly MaxTransitionsPerHour: number;
            readonly ExplorationRate: number;
            readonly AllowedInterfaces: readonly string[];
        };
        readonly RoamingModel: {
            readonly [key: string]: components["schemas"]["RoamingArm"];
        };
        readonly RoamingRecord: {
            readonly ID: string;
            /**
             * Format: date-time
             * @example 2026-01-01T12:00:00.000Z
             */
            readonly RequestedAt: string;
            /**
             * Format: date-time
             * @example 2026-01-01T12:00:00.000Z
             */
            readonly ObservedAt: string;
            /** @enum {string} */
            readonly Origin: "manual" | "auto" | "auto_explore";
            /** @example 02:00:00:00:0a:01 */
            readonly MAC: string;
            readonly SourceInterface: string;
            readonly TargetInterface: string;
            readonly SourceRSSI: number;
            readonly PostRSSI?: number;
            readonly PostInterface?: string;
            readonly DryRun: boolean;
            /** @enum {string} */
            readonly State: "sent" | "recommended" | "succeeded" | "ignored" | "moved_elsewhere" | "offline" | "observation_failed" | "disabled";
            readonly Reward?: number;
            readonly HostapdResponse?: string;
            readonly Error?: string;
        };
        readonly RoamingStatus: {
            readonly RoamingEnabled: boolean;
            readonly Config: components["schemas"]["RoamingConfig"];
            readonly HistoryCount: number;
            readonly ModelArms: number;
            readonly TransitionsActive: number;
        };
        readonly RuleChanges: {
            /** @description Rules that say the same are deleted first */
            readonly Delete?: {
                readonly ForwardingRules?: readonly components["schemas"]["ForwardingRuleInput"][];
                readonly BlockRules?: readonly components["schemas"]["BlockRuleInput"][];
                readonly OutputBlockRules?: readonly components["schemas"]["OutputBlockRuleInput"][];
                readonly ForwardingBlockRules?: readonly components["schemas"]["ForwardingBlockRuleInput"][];
                readonly CustomInterfaceRules?: readonly components["schemas"]["CustomInterfaceRuleInput"][];
                readonly ServicePorts?: readonly components["schemas"]["ServicePortInput"][];
                readonly Endpoints?: readonly components["schemas"]["EndpointInput"][];
                readonly MulticastPorts?: readonly components["schemas"]["MulticastPortInput"][];
            };
            /** @description Rules that are added or updated */
            readonly Put?: {
                readonly ForwardingRules?: readonly components["schemas"]["ForwardingRuleInput"][];
                readonly BlockRules?: readonly components["schemas"]["BlockRuleInput"][];
                readonly OutputBlockRules?: readonly components["schemas"]["OutputBlockRuleInput"][];
                readonly ForwardingBlockRules?: readonly components["schemas"]["ForwardingBlockRuleInput"][];
                readonly CustomInterfaceRules?: readonly components["schemas"]["CustomInterfaceRuleInput"][];
                readonly ServicePorts?: readonly components["schemas"]["ServicePortInput"][];
                readonly Endpoints?: readonly components["schemas"]["EndpointInput"][];
                readonly MulticastPorts?: readonly components["schemas"]["MulticastPortInput"][];
            };
        };
        readonly RuleCounter: {
            readonly kind: string;
            readonly rule: string;
            readonly packets: number | null;
            readonly bytes: number | null;
            readonly since: number | null;
            readonly lastUsed: number | null;
        };
        readonly RuleReference: {
            /** @enum {string} */
            readonly list: "ForwardingRules" | "BlockRules" | "OutputBlockRules" | "ForwardingBlockRules" | "CustomInterfaceRules" | "ServicePorts" | "Endpoints" | "MulticastPorts";
            readonly index: number;
            readonly pointer: string;
            readonly name: string;
        };
        readonly Schedule: {
            readonly Days: readonly ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
            readonly From: string;
            readonly To: string;
        };
        readonly ServicePort: {
            /** @constant */
            readonly Protocol: "tcp";
            /** @example 443 */
            readonly Port: string;
            /** @default false */
            readonly UpstreamEnabled: boolean;
            /** @default  */
            readonly Description: string;
        };
        readonly ServicePortInput: {
            /** @constant */
            readonly Protocol: "tcp";
            /** @example 443 */
            readonly Port: string;
            /** @default false */
            readonly UpstreamEnabled: boolean;
            /** @default  */
            readonly Description: string;
        };
        readonly ServicePortName: {
            /** @enum {string} */
            readonly Protocol?: "tcp" | "udp";
            /** @example 443 */
            readonly Port: string;
        };
        readonly SessionView: {
            readonly id: string;
            readonly user: string;
            readonly createdAt: number;
            readonly lastSeen: number;
            readonly expires: number;
            readonly source: string;
            readonly agent: string;
            readonly tls: boolean;
            readonly passkey: string | null;
            readonly current: boolean;
        };
        readonly SkipReasons: {
            /** @default 0 */
            readonly cosmetic: number;
            /** @default 0 */
            readonly option: number;
            /** @default 0 */
            readonly path: number;
            /** @default 0 */
            readonly wildcard: number;
            /** @default 0 */
            readonly pattern: number;
            /** @default 0 */
            readonly name: number;
        };
        readonly SocketEntry: {
            readonly netid: string;
            readonly state: string;
            readonly recv_q: number;
            readonly send_q: number;
            readonly local_address: string;
            readonly local_port: string;
            readonly peer_address: string;
            readonly peer_port: string;
        };
        readonly SpeedTestResult: {
            readonly Iface: string;
            readonly Time: number;
            readonly DownMbps: number;
            readonly Seconds: number;
            readonly Bytes: number;
            readonly URL: string;
            readonly Error?: string;
        };
        readonly Stage: {
            /** @enum {string} */
            readonly stage: "setup" | "out" | "code" | "in";
            readonly user: string;
            readonly role: components["schemas"]["UserRole"] | null;
            readonly open: boolean;
            readonly passwordSet: boolean;
            /** @description While the setup guide is next: the file on the router with the setup code, where there is one */
            readonly codeFile?: string;
        };
        readonly StationDisconnect: {
            readonly Iface: string;
            /** @enum {string} */
            readonly Event: "AP-STA-DISCONNECTED" | "disconnect";
            /** @example 02:00:00:00:0a:01 */
            readonly MAC: string;
            /** @default  */
            readonly Status: string;
            readonly Router?: string | "";
        };
        readonly StationEcho: {
            readonly Iface: string;
            readonly Event: string;
            readonly MAC: string;
            readonly Status: string;
            readonly Router: string;
        };
        readonly StationFailure: {
            readonly Iface?: string | "";
            readonly Type: string;
            /** @example 02:00:00:00:0a:01 */
            readonly MAC: string;
            /** @default  */
            readonly Reason: string;
            /** @default  */
            readonly Status: string;
            readonly Router?: string | "";
        };
        readonly StationLines: {
            readonly [key: string]: components["schemas"]["StatusLines"];
        };
        readonly StationRoamed: {
            /** @example 02:00:00:00:0a:01 */
            readonly MAC: string;
            readonly Seconds: number;
        };
        readonly StationSuccess: {
            readonly Iface: string;
            /** @enum {string} */
            readonly Event: "AP-STA-CONNECTED" | "connect";
            /** @example 02:00:00:00:0a:01 */
            readonly MAC: string;
            /** @default  */
            readonly Status: string;
            readonly Router?: string | "";
            readonly KeyId?: string;
            /** @default 0 */
            readonly Seconds: number;
        };
        readonly StatusLines: {
            readonly [key: string]: string;
        };
        readonly SubnetConfig: {
            readonly TinyNets: readonly string[];
            readonly LeaseTime: string;
            readonly NTPServers?: readonly string[] | null;
        };
        readonly SyncDevice: {
            readonly Name?: string;
            readonly MAC?: string | "";
            readonly WGPubKey?: string | "";
            readonly VLANTag?: string | "";
            readonly RecentIP?: string | "";
            readonly DNSCustom?: string | "";
            readonly PSKEntry?: {
                /** @enum {string} */
                readonly Type?: "" | "sae" | "wpa" | "wpa2";
                /** @example correct horse battery */
                readonly Psk?: string;
            };
            readonly Policies?: readonly ("disabled" | "quarantine" | "wan" | "dns" | "dns:family" | "lan" | "lan_upstream" | "noapi" | "api" | "guestonly")[];
            readonly Groups?: readonly string[];
            readonly DeviceTags?: readonly string[];
            readonly Style?: {
                readonly Icon?: string;
                readonly Color?: string;
            };
            readonly DeviceExpiration?: number;
            readonly DeleteExpiration?: boolean;
            readonly DeviceDisabled?: boolean;
            /** @enum {string} */
            readonly Type?: "" | "Container";
        };
        readonly Theme: {
            readonly id: string;
            readonly name: string;
            readonly spec: {
                /** @enum {string} */
                readonly colorMode: "light" | "dark";
                readonly accent: string;
                readonly background: string;
                readonly card: string;
                readonly text: string;
                /** @example Inter, sans-serif */
                readonly font?: string;
            };
        };
        readonly TokenDeletion: {
            /** @default  */
            readonly Token: string;
            /** @default  */
            readonly ID: string;
        };
        readonly TokenRequest: {
            /** @default  */
            readonly Name: string;
            /** @default 0 */
            readonly Expire: number;
            /** @default [] */
            readonly ScopedPaths: readonly string[];
        };
        readonly Topology: {
            readonly GeneratedAt: string;
            readonly Nodes: readonly components["schemas"]["TopologyNode"][];
            readonly Edges: readonly components["schemas"]["TopologyEdge"][];
            readonly Sinks?: readonly components["schemas"]["TopologySink"][];
        };
        readonly TopologyEdge: {
            readonly From: string;
            readonly To: string;
            /** @enum {string} */
            readonly Layer: "l1" | "policy";
            readonly Kind: string;
            readonly Metric?: number;
            readonly Bidir?: boolean;
        };
        readonly TopologyNode: {
            readonly ID: string;
            /** @enum {string} */
            readonly Kind: "router" | "uplink" | "ap_radio" | "port" | "vpn" | "device" | "leaf_router" | "endpoint";
            readonly Name: string;
            readonly MAC?: string;
            readonly IP?: string;
            readonly TinyNet?: string;
            readonly VLANTag?: string;
            /** @enum {string} */
            readonly ConnType?: "wifi" | "wired" | "wireguard" | "offline";
            readonly Iface?: string;
            readonly SSID?: string;
            readonly Radio?: {
                readonly Channel: number;
                readonly Freq: number;
                readonly Modes?: readonly string[];
                readonly Stations: number;
            };
            readonly Groups?: readonly string[];
            readonly Policies?: readonly string[];
            readonly Tags?: readonly string[];
            readonly Signal?: {
                readonly RSSI: number;
                readonly TxRate: number;
                readonly RxRate: number;
                readonly Caps?: readonly string[];
            };
            readonly Online: boolean;
            readonly Isolated?: boolean;
            readonly Style: {
                readonly Icon: string;
                readonly Color: string;
            };
            readonly DHCPFirstTime?: string;
            readonly DHCPLastTime?: string;
        };
        readonly TopologySink: {
            readonly ID: string;
            readonly Name: string;
            readonly Iface: string;
            readonly IP?: string;
            readonly Online: boolean;
        };
        readonly TrafficCounter: {
            /** @description Address of the device */
            readonly IP: string;
            readonly Packets: number;
            readonly Bytes: number;
        };
        readonly TrafficDeviceInsight: {
            readonly IP: string;
            readonly BytesIn: number;
            readonly BytesOut: number;
            /** @description At most 500, by bytes */
            readonly Destinations: readonly {
                /** @description `other` for all further addresses */
                readonly IP: string;
                readonly Domain: string;
                readonly ASN: number;
                readonly ASNName: string;
                readonly Country?: string;
                readonly BytesIn: number;
                readonly BytesOut: number;
                /**
                 * Format: date-time
                 * @example 2026-01-01T12:00:00.000Z
                 */
                readonly LastSeen: string;
            }[];
        };
        readonly TrafficInsightsHistory: {
            /** @description Length of each point: 3600 or 86400 */
            readonly Seconds: number;
            /** @description Oldest first */
            readonly Points: readonly {
                /**
                 * Format: date-time
                 * @example 2026-01-01T12:00:00.000Z
                 */
                readonly Start: string;
                readonly BytesIn: number;
                readonly BytesOut: number;
            }[];
        };
        readonly TrafficInsightsNames: {
            /**
             * Format: date-time
             * @example 2026-01-01T12:00:00.000Z
             */
            readonly Start: string;
            /**
             * Format: date-time
             * @example 2026-01-01T12:00:00.000Z
             */
            readonly End: string;
            /** @description At most 500, by bytes */
            readonly Names: readonly components["schemas"]["NameUsage"][];
        };
        readonly TrafficInsightsOverview: {
            /**
             * Format: date-time
             * @example 2026-01-01T12:00:00.000Z
             */
            readonly Start: string;
            /**
             * Format: date-time
             * @example 2026-01-01T12:00:00.000Z
             */
            readonly End: string;
            readonly TotalIn: number;
            readonly TotalOut: number;
            /** @description By bytes, the most first */
            readonly Countries: readonly components["schemas"]["CountryUsage"][];
            /** @description At most 50, by bytes */
            readonly ASNs: readonly components["schemas"]["AsnUsage"][];
            /** @description Networks of containers, in CIDR form */
            readonly ContainerNets?: readonly string[];
        };
        readonly TrafficInsightsSettings: {
            /** @default false */
            readonly Enabled: boolean;
            /** @description Days that traffic by destination is kept, 1–90 */
            readonly RetentionDays: number;
        };
        readonly TrafficInsightsSettingsInput: {
            /** @default false */
            readonly Enabled: boolean;
            /** @description Days that traffic by destination is kept, 1–90 */
            readonly RetentionDays: number;
        };
        readonly TrafficRates: {
            /** @description Oldest first */
            readonly items: readonly {
                readonly LanIn: number;
                readonly LanOut: number;
                readonly WanIn: number;
                readonly WanOut: number;
                /** @description End of the minute, unix milliseconds */
                readonly at: number;
            }[];
            /** @description Since the router's management started */
            readonly total: components["schemas"]["AddressTraffic"];
        };
        readonly TransitionRequest: {
            /** @example 02:00:00:00:0a:01 */
            readonly MAC: string;
            readonly TargetInterface: string;
        };
        readonly TransitionResult: {
            readonly SourceInterface: string;
            readonly TargetInterface: string;
            readonly MAC: string;
            readonly SourceRSSI?: number;
            readonly TargetBSSID: string;
            readonly OperatingClass: number;
            readonly Channel: number;
            readonly PHYType: number;
            readonly Command: string;
            readonly HostapdResponse: string;
        };
        readonly UplinkOutage: {
            readonly Iface: string;
            readonly Start: number;
            readonly End: number;
            readonly Reason: string;
        };
        readonly UplinkSample: {
            readonly Time: number;
            readonly LatencyMs: number;
            readonly JitterMs: number;
            readonly LossPct: number;
            readonly Up: boolean;
        };
        readonly UplinkSettings: {
            readonly Enabled: boolean;
            readonly IntervalSeconds: number;
            readonly ProbeTargets: readonly string[];
            readonly ProbeGateway: boolean;
            readonly FailThreshold: number;
            readonly RecoverThreshold: number;
            readonly FailoverEnabled: boolean;
            /** @enum {string} */
            readonly Balance: "pair" | "source" | "connection" | "off";
            /**
             * @description Connections on a standby once a better uplink is up: `new`: they stay until they end; `all`: they are ended, so that they start over on the better one
             * @enum {string}
             */
            readonly Failback: "new" | "all";
            /** @description An MTU below 1280 bytes that the provider's DHCP gives is set, not ignored */
            readonly AcceptSmallMTU: boolean;
            readonly Uplinks: readonly components["schemas"]["UplinkShare"][];
            readonly SpeedTestURL: string;
        };
        readonly UplinkShare: {
            readonly Iface: string;
            /** @default 1 */
            readonly Weight: number;
        };
        readonly UplinkShareInput: {
            readonly Iface: string;
            /** @default 1 */
            readonly Weight: number;
        };
        readonly UplinkStatus: {
            readonly Iface: string;
            readonly Up: boolean;
            readonly Active: boolean;
            readonly Gateway: string;
            readonly LatencyMs: number;
            readonly JitterMs: number;
            readonly LossPct: number;
            readonly LastChange: number;
            readonly TotalOutages: number;
            readonly Downtime24h: number;
            readonly Reason: string;
            readonly IP: string;
            readonly Weight: number;
            readonly SharePct: number;
            readonly DNS: readonly string[];
            readonly Search: readonly string[];
        };
        readonly UplinkUpdate: {
            readonly Name: string;
            readonly Enabled?: boolean;
            readonly DisableDHCP?: boolean;
            /**
             * @description With the prefix of its network; without one it keeps that of the same address, or is a /32
             * @example 203.0.113.2/24
             */
            readonly IP?: string;
            /** @example 203.0.113.1 */
            readonly Router?: string;
            /** @example  */
            readonly VLAN?: string;
            readonly AdditionalIPs?: readonly {
                /** @example 203.0.113.2/24 */
                readonly IP: string;
                readonly Router?: string | null;
            }[];
        };
        readonly UpstreamStatus: {
            readonly address: string;
            readonly tlsHost: string | null;
            /** @enum {string} */
            readonly state: "unknown" | "up" | "down";
            readonly latency: number | null;
            readonly connections: number;
            readonly queries: number;
            readonly failed: number;
            readonly consecutiveFailures: number;
            readonly lastError: string | null;
        };
        readonly UserRequest: {
            readonly Role: components["schemas"]["UserRole"];
            readonly Password?: string;
        };
        /** @enum {string} */
        readonly UserRole: "admin" | "operator" | "read-only";
        readonly UserView: {
            readonly Name: string;
            readonly Role: components["schemas"]["UserRole"];
            readonly SecondFactor: boolean;
            readonly Sessions: number;
            readonly LastSeen: number;
        };
        readonly VirtualMachine: {
            readonly ID: string;
            readonly PID: number;
            readonly Name: string;
            readonly State: string;
            readonly Runtime: string;
            readonly CPUs?: number;
            readonly MemoryMiB?: number;
        };
        readonly VirtualMachines: {
            /** @constant */
            readonly Discovery: "processes";
            readonly KVMAvailable: boolean;
            readonly ContainerMetadataAvailable: boolean;
            readonly VirtualMachines: readonly components["schemas"]["VirtualMachine"][];
        };
        readonly WifiClient: {
            readonly mac: string;
            readonly network: string;
            readonly radio: string;
            readonly ssid: string;
            /** @enum {string} */
            readonly band: "5" | "6" | "2.4" | "";
            readonly signal: number;
            readonly down: number;
            readonly up: number;
            /** @enum {string} */
            readonly security: "open" | "WPA2" | "WPA3";
            readonly seconds: number;
            readonly sent: number | null;
            readonly retries: number | null;
            readonly failed: number | null;
        };
        readonly WifiNetwork: {
            readonly name: string;
            readonly radio: string;
            readonly ssid: string;
            readonly enabled: boolean;
            readonly main: boolean;
            readonly security: readonly ("open" | "WPA" | "WPA2" | "WPA3")[];
            /** @enum {string} */
            readonly password: "device" | "shared" | "none";
            readonly isolated: boolean;
            readonly waiting: string;
        };
        readonly WifiUplinkStatus: {
            readonly Iface: string;
            /** @enum {string} */
            readonly State: "connected" | "connecting" | "searching" | "missing" | "failed" | "stopped" | "unknown";
            readonly SSID: string;
            readonly BSSID: string;
            readonly Frequency: number;
            readonly Signal: number;
            readonly Problem: string;
            readonly Portal: string;
        };
        readonly WindowState: {
            readonly window: {
                readonly id: string;
                readonly until: number;
                readonly secondsLeft: number;
                readonly summary: string;
            } | null;
        };
        readonly WireguardClientConfig: {
            readonly Interface: {
                /** @description Shown once, when the key was made; else <PRIVATE KEY> */
                readonly PrivateKey: string;
                readonly Address: string;
                readonly DNS: string;
                readonly MTU: number;
            };
            readonly Peer: components["schemas"]["WireguardPeer"];
            readonly Config: string;
            /** @description Why it does not connect yet; empty otherwise */
            readonly Problem: string;
        };
        readonly WireguardImport: {
            readonly Peers: number;
            readonly Sites: number;
            /** @description Settings of the file that have no effect here */
            readonly Ignored: readonly string[];
        };
        readonly WireguardImportRequest: {
            /** @description The text of the file */
            readonly Config: string;
        };
        readonly WireguardKeyPair: {
            readonly PrivateKey: string;
            readonly PublicKey: string;
        };
        readonly WireguardListedPeer: {
            readonly PublicKey: string;
            /** @description Comma-separated networks; (none) without an address */
            readonly AllowedIPs: string;
            /** @description Source of the last packet; (none) before */
            readonly Endpoint: string;
            /** @description ** where there is one, else (none) */
            readonly PresharedKey: string;
            readonly PersistentKeepalive: number;
            /** @description Unix seconds; 0 never */
            readonly LatestHandshake: number;
            /** @description Bytes received from it */
            readonly TransferRx: number;
            /** @description Bytes sent to it */
            readonly TransferTx: number;
            /** @description Identity of its device; empty where it has none */
            readonly Identity: string;
            readonly Name: string;
            /** @description A handshake within the last three minutes */
            readonly Online: boolean;
        };
        readonly WireguardPeer: {
            readonly PublicKey: string;
            /** @description Comma-separated networks; (none) without an address */
            readonly AllowedIPs: string;
            /** @description Source of the last packet; (none) before */
            readonly Endpoint: string;
            /** @description ** where there is one, else (none) */
            readonly PresharedKey: string;
            readonly PersistentKeepalive: number;
            /** @description Unix seconds; 0 never */
            readonly LatestHandshake: number;
            /** @description Bytes received from it */
            readonly TransferRx: number;
            /** @description Bytes sent to it */
            readonly TransferTx: number;
        };
        readonly WireguardPeerKey: {
            readonly PublicKey: string;
            /** @description Its address; left out: the next free one */
            readonly AllowedIPs?: string;
            /** @description Where the peer reaches this router; left out: the first of the endpoints */
            readonly Endpoint?: string;
            /** @description Left out: one is made */
            readonly PresharedKey?: string;
            /** @default 0 */
            readonly PersistentKeepalive: number;
            /**
             * @description full: all its traffic; split: only the networks of this router
             * @default full
             * @enum {string}
             */
            readonly Tunnel: "full" | "split";
            /**
             * @description Name of a new device
             * @default
             */
            readonly Name: string;
            /** @description Policies of the device */
            readonly Policies?: readonly ("disabled" | "quarantine" | "wan" | "dns" | "dns:family" | "lan" | "lan_upstream" | "noapi" | "api" | "guestonly")[];
            /** @description Groups of the device */
            readonly Groups?: readonly string[];
            /** @description Tags of the device */
            readonly DeviceTags?: readonly string[];
            /** @description Ignored, as are the counters */
            readonly LatestHandshake?: number;
            readonly TransferRx?: number;
            readonly TransferTx?: number;
        };
        readonly WireguardPeerRequest: {
            /** @description Key of the peer; left out: a key pair is made */
            readonly PublicKey?: string | "";
            /** @description Its address; left out: the next free one */
            readonly AllowedIPs?: string;
            /** @description Where the peer reaches this router; left out: the first of the endpoints */
            readonly Endpoint?: string;
            /** @description Left out: one is made */
            readonly PresharedKey?: string;
            /** @default 0 */
            readonly PersistentKeepalive: number;
            /**
             * @description full: all its traffic; split: only the networks of this router
             * @default full
             * @enum {string}
             */
            readonly Tunnel: "full" | "split";
            /**
             * @description Name of a new device
             * @default
             */
            readonly Name: string;
            /** @description Policies of the device */
            readonly Policies?: readonly ("disabled" | "quarantine" | "wan" | "dns" | "dns:family" | "lan" | "lan_upstream" | "noapi" | "api" | "guestonly")[];
            /** @description Groups of the device */
            readonly Groups?: readonly string[];
            /** @description Tags of the device */
            readonly DeviceTags?: readonly string[];
            /** @description Ignored, as are the counters */
            readonly LatestHandshake?: number;
            readonly TransferRx?: number;
            readonly TransferTx?: number;
        };
        readonly WireguardPeerRotation: {
            /** @description The key that the peer has */
            readonly PublicKey: string;
            /** @description Left out: a key pair is made */
            readonly NewPublicKey?: string | "";
            readonly Endpoint?: string;
            /**
             * @default full
             * @enum {string}
             */
            readonly Tunnel: "full" | "split";
        };
        readonly WireguardReachable: {
            /**
             * @description `reachable`: as far as this router can tell; `off`: the VPN is off; `stopped`: its tunnel does not run; `no-uplink`: no uplink has an address; `behind-router`: another router must forward the port; `provider-nat`: the provider shares its address among customers
             * @enum {string}
             */
            readonly Verdict: "reachable" | "off" | "no-uplink" | "behind-router" | "provider-nat" | "stopped";
            /** @description What is the matter and what to do, for people */
            readonly Message: string;
            /** @description The router's address on its first uplink; empty without one */
            readonly Address: string;
            readonly Port: number;
            /** @description Where clients are sent to; empty where that is not known */
            readonly Endpoint: string;
            /** @description Unix seconds of the latest handshake of any peer; 0 never */
            readonly LastHandshake: number;
        };
        readonly WireguardServer: {
            readonly Enabled: boolean;
            readonly ListenPort: number;
            /** @description 0: it fits the uplinks */
            readonly MTU: number;
            /** @description The MTU that the tunnel and its clients get */
            readonly CurrentMTU: number;
            readonly Endpoints: readonly string[];
            /** @description Empty until the tunnel is first used */
            readonly PublicKey: string;
            readonly Running: boolean;
            /**
             * @description Who carries the tunnel: the kernel, or the program wireguard-go; empty while none does
             * @enum {string}
             */
            readonly Backend: "kernel" | "wireguard-go" | "";
            /** @description Why the tunnel does not run as set; empty otherwise */
            readonly Problem: string;
        };
        readonly WireguardServerUpdate: {
            readonly Enabled?: boolean;
            readonly ListenPort?: number;
            readonly MTU?: number;
            readonly Endpoints?: readonly string[];
            /** @description Makes another key pair: every peer then needs a new configuration */
            readonly NewKey?: boolean;
        };
        readonly WireguardSite: {
            readonly Name: string;
            readonly Interface: string;
            /** @default true */
            readonly Enabled: boolean;
            /** @description Always ** */
            readonly PrivateKey: string;
            /** @default 0 */
            readonly ListenPort: number | 0;
            readonly Address: string;
            /** @default 0 */
            readonly MTU: number;
            readonly PeerPublicKey: string;
            /** @description ** where there is one, else empty */
            readonly PresharedKey: string;
            readonly Endpoint: string;
            /** @default 25 */
            readonly PersistentKeepalive: number;
            readonly Networks: readonly string[];
            readonly Policies: readonly string[];
            readonly Groups: readonly string[];
            readonly PublicKey: string;
            /** @description Unix seconds; 0 never */
            readonly LatestHandshake: number;
            readonly TransferRx: number;
            readonly TransferTx: number;
            /** @description A handshake within the last three minutes */
            readonly Online: boolean;
            /** @description Source of the last packet; empty before */
            readonly CurrentEndpoint: string;
            readonly Problem: string;
        };
        readonly WireguardSiteImport: {
            readonly Name: string;
            readonly Config: string;
            /** @description What those networks may do here */
            readonly Policies?: readonly ("wan" | "dns" | "lan" | "api")[];
            /** @description Groups of devices that reach them, and that they reach */
            readonly Groups?: readonly string[];
        };
        readonly WireguardSiteOutcome: {
            readonly Site: components["schemas"]["WireguardSite"];
            /** @description Configuration file for the other router, with its private key; empty where it made its own */
            readonly Config: string;
            /** @description Of an imported file: what has no effect here */
            readonly Ignored: readonly string[];
        };
        readonly WireguardSiteRequest: {
            readonly Name: string;
            readonly Enabled?: boolean;
            /** @description Left out: kept, or made */
            readonly PrivateKey?: string;
            /** @description UDP port; left out: the next free one where the other router opens the tunnel, else any */
            readonly ListenPort?: number | 0;
            /** @description Of this router inside the tunnel */
            readonly Address?: string | "";
            readonly MTU?: number;
            /** @description Key of the other router; left out for a new site: a key pair is made for it */
            readonly PeerPublicKey?: string | "";
            readonly PresharedKey?: string;
            /** @description Where the other router is reached; empty where it opens the tunnel */
            readonly Endpoint?: string;
            readonly PersistentKeepalive?: number;
            /** @description Networks behind the other router */
            readonly Networks?: readonly string[];
            /** @description What those networks may do here */
            readonly Policies?: readonly ("wan" | "dns" | "lan" | "api")[];
            /** @description Groups of devices that reach them, and that they reach */
            readonly Groups?: readonly string[];
        };
        readonly WireguardTunnelStatus: {
            readonly publicKey: string;
            readonly listenPort: number;
            readonly peers: {
                readonly [key: string]: {
                    /** @description **; left out without one */
                    readonly presharedKey?: string;
                    readonly endpoint?: string;
                    readonly latestHandshake?: number;
                    readonly transferRx?: number;
                    readonly transferTx?: number;
                    readonly persistentKeepalive?: number;
                    readonly allowedIps: readonly string[];
                };
            };
        };
        readonly WpaFile: {
            readonly WPAs: readonly components["schemas"]["WpaInterface"][];
        };
        readonly WpaInterface: {
            readonly Iface: string;
            /** @default false */
            readonly Enabled: boolean;
            /** @default [] */
            readonly Networks: readonly components["schemas"]["WpaNetwork"][];
            readonly ScanIface?: string | "";
            readonly MonitorIface?: string | "";
            readonly PortalCheckURL?: "" | string;
        };
        readonly WpaInterfaceInput: {
            readonly Iface: string;
            /** @default false */
            readonly Enabled: boolean;
            readonly Networks?: readonly components["schemas"]["WpaNetworkInput"][];
            readonly ScanIface?: string | "";
            readonly MonitorIface?: string | "";
            readonly PortalCheckURL?: "" | string;
        };
        readonly WpaNetwork: {
            /** @default false */
            readonly Disabled: boolean;
            /** @default  */
            readonly Password: string;
            /**
             * @default
             * @example home
             */
            readonly SSID: string;
            /** @example  */
            readonly SSIDHex?: string;
            /**
             * @default WPA-PSK WPA-PSK-SHA256
             * @example WPA-PSK WPA-PSK-SHA256 SAE
             */
            readonly KeyMgmt: string;
            /** @example 1 */
            readonly Priority?: string;
            readonly BSSID?: string | "";
        };
        readonly WpaNetworkInput: {
            /** @default false */
            readonly Disabled: boolean;
            /** @default  */
            readonly Password: string;
            /**
             * @default
             * @example home
             */
            readonly SSID: string;
            /** @example  */
            readonly SSIDHex?: string;
            readonly KeyMgmt?: string;
            readonly Priority?: string | number;
            readonly BSSID?: string | "";
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
