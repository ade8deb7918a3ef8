import { join } from "node:path";
import { writeLargeHome } from "../../kit/builders/large_home.ts";
import {
  block,
  custom,
  endpoint,
  firewallWith,
  forward,
  outright,
} from "../../kit/builders/firewall_rules.ts";
import { History } from "../../../system/events/store/history.ts";

/** Devices, groups and rules of a very large home. */
export const DEVICES = 1000, GROUPS = 200, RULES = 2000;
/** Where the list of blocked names is fetched from. */
export const LIST = "http://lists.example.test:8080/names";
/** Stored events, as of some weeks. */
export const EVENTS = 60_000, SEARCHED = "auth:failure";
/** The downlink that all devices are on. */
const LINK = "cl-a";
const PER_APPEND = 500;
const DAY_MS = 86_400_000;

/** Writes the live tree of a very large home. Returns the identities of its devices. */
export async function writeVeryLargeHome(home: string): Promise<readonly string[]> {
  const identities = await writeLargeHome(home, { devices: DEVICES, groups: GROUPS, link: LINK });
  const files = {
    "base/firewall.json": firewallWith(rules()),
    "dns/block_rules.json": {
      BlockLists: [{ URI: LIST, Enabled: true, Tags: [] }],
    },
  };
  for (const [path, value] of Object.entries(files)) {
    await Deno.mkdir(join(home, "configs", path, ".."), { recursive: true });
    await Deno.writeTextFile(join(home, "configs", path), JSON.stringify(value));
  }
  await fillHistory(join(home, "state/history.db"));
  return identities;
}

/** Address of a device of {@link writeLargeHome}. */
export function addressOf(device: number): string {
  const host = device * 4 + 2;
  return `192.168.${2 + (host >> 8)}.${host & 255}`;
}

function rules() {
  const share = RULES / 10;
  const list = <T>(tenths: number, make: (i: number) => T): T[] =>
    Array.from({ length: tenths * share }, (_, i) => make(i));
  return {
    ForwardingRules: list(3, (i) => forward(String(20_000 + i), addressOf(i), "443")),
    ForwardingBlockRules: list(
      4,
      (i) =>
        block(
          addressOf(i),
          i % 2 === 0 ? "0.0.0.0/0" : addressOf(DEVICES - 1 - i),
          String(1000 + i),
        ),
    ),
    BlockRules: list(1, (i) => outright(`198.18.${i}.0/24`, addressOf(i))),
    CustomInterfaceRules: list(
      1,
      (i) => custom("docker0", `172.17.0.${i + 2}`, { Policies: ["wan"], Groups: [`group ${i}`] }),
    ),
    Endpoints: list(1, (i) => endpoint(`service ${i}`, addressOf(i), "8443", [`tag ${i}`])),
  };
}

async function fillHistory(path: string): Promise<void> {
  const history = await History.open(path);
  const began = Date.now() - 20 * DAY_MS;
  const between = 20 * DAY_MS / EVENTS;
  for (let id = 0; id < EVENTS; id += PER_APPEND) {
    await history.append(Array.from({ length: PER_APPEND }, (_, n) => ({
      ...{ id: id + n + 1, topic: SEARCHED, at: Math.floor(began + (id + n) * between) },
      ...{ nanos: 0, key: null, published: true },
      data: JSON.stringify({ name: `user ${(id + n) % 1000}`, reason: "bad password", n: id + n }),
    })));
  }
  history.close();
}
