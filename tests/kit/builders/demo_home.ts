import { memoryHost } from "../../../system/host/memory/host.ts";
import { type TestRouter, WIRED } from "../router.ts";

type Row = readonly [
  name: string,
  hostName: string,
  link: string,
  hoursAgo: number,
  policies: string,
  groups: string,
  tags: string,
];

const ROWS: readonly Row[] = [
  ["Mira’s laptop", "mira-book", "lan1", 0, "wan dns lan", "family", ""],
  ["Kids’ tablet", "tablet", "lan2", 0, "wan dns dns:family noapi", "kids", "school"],
  ["Ida’s phone", "ida-phone", "lan2", 0, "wan dns noapi", "family kids", ""],
  ["Game console", "console", "lan2", 0, "wan dns noapi", "kids media", ""],
  ["Home server", "server", "lan1", 0, "wan dns lan noapi", "family media", "backup"],
  ["Laser printer", "printer", "lan1", 0, "dns noapi", "family", ""],
  ["Living room TV", "tv", "lan2", 40, "wan dns noapi", "media", ""],
  ["Garden camera", "cam-garden", "lan3", 0, "dns noapi", "cameras", ""],
  ["Doorbell", "doorbell", "lan3", 0, "dns noapi", "cameras", ""],
  ["Heat pump", "heatpump", "lan3", 0, "wan dns noapi", "automation", ""],
  ["Robot mower", "mower", "lan3", 0, "quarantine dns noapi", "automation", ""],
  ["Old tablet", "old-tablet", "lan2", 700, "wan dns noapi disabled", "kids", ""],
];
const WAITING = "ESP-8C4F21";
const HOUR = 3_600_000;

/** Interfaces and age of the demo home, and a model of the kernel that has them. */
export const DEMO = {
  files: {
    "base/interfaces.json": [
      ...WIRED.filter(({ Name }) => Name === "wan0"),
      ...["lan1", "lan2", "lan3"].map((Name) => ({ Name, Type: "Downlink", Enabled: true })),
    ],
  },
  /** When the router was made, before now. */
  age: Math.max(...ROWS.map(([, , , hoursAgo]) => hoursAgo)) * HOUR,
  /** With more interfaces than those. */
  host: (...more: readonly string[]) =>
    memoryHost({ links: ["wan0", "lan1", "lan2", "lan3", ...more] }),
} as const;

/** Identity of a demo device by its place in the list; 12 waits for a person. */
export function demoId(position: number): string {
  return `00:00:5e:00:53:${(position + 16).toString(16)}`;
}

/**
 * Lets thirteen devices join a router and decides about twelve of them, all through its API.
 * `later` puts its clock forward, so that some have been away for long.
 */
export async function fillHome(
  router: TestRouter,
  later: (milliseconds: number) => void,
): Promise<void> {
  const joins = [
    ...ROWS.map((row, position) => ({ position, row, ago: row[3] })),
    {
      position: ROWS.length,
      row: ["", WAITING, "lan3", 0, "", "", ""] satisfies Row,
      ago: 0,
    },
  ].sort((a, b) => b.ago - a.ago);
  let ago = joins[0]?.ago ?? 0;
  for (const join of joins) {
    later((ago - join.ago) * HOUR);
    ago = join.ago;
    const [, Name, Iface] = join.row;
    const body = { MAC: demoId(join.position), Iface, Name };
    const answer = await router.inside("dhcp", "PUT", "/dhcpRequest", body);
    if (!answer.ok) throw new Error(`${Name} got no lease: ${await answer.text()}`);
    await answer.body?.cancel();
  }
  for (const [position, [Name, , , , policies, groups, tags]] of ROWS.entries()) {
    const Policies = policies.split(" ");
    const body = {
      Name,
      Policies,
      AdminAccess: !Policies.includes("noapi"),
      Groups: text(groups),
      DeviceTags: text(tags),
      DeviceDisabled: Policies.includes("disabled"),
    };
    const answer = await router.ask("PUT", `/device?identity=${demoId(position)}`, { body });
    if (!answer.ok) throw new Error(`${Name} was not changed: ${await answer.text()}`);
    await answer.body?.cancel();
  }
  await router.runDueTasks();
}

function text(text: string): readonly string[] {
  return text === "" ? [] : text.split(" ");
}
