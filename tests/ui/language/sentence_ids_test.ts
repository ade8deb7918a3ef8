import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { seenModules } from "../../../ui/build/api_texts.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** The beginning of a problem whose sentence is a template, which has no id by which it is translated. */
const UNNAMED =
  /\b(?:(?:conflict|notFound|tooMany)\(|new Problem\(\s*4\d\d,|invalid\(\s*(?:"[^"]*"|`[^`]*`|[\w.]+(?:\([^()]*\))?),)\s*`/g;

const unnamedIn = (source: string): number => [...source.matchAll(UNNAMED)].length;

/** How many such sentences a module still has; a number here only ever becomes smaller. */
const EXCEPTIONS: Readonly<Record<string, number>> = {
  "routes/alerts/rules.ts": 1,
  "routes/composition/release.ts": 1,
  "routes/events/buckets.ts": 1,
  "routes/firewall/geo_block.ts": 1,
  "routes/http/body.ts": 2,
  "routes/http/decide.ts": 3,
  "routes/http/document_scopes.ts": 1,
  "routes/http/limits.ts": 1,
  "routes/http/mount.ts": 1,
  "routes/http/origin.ts": 1,
  "routes/http/validation.ts": 2,
  "routes/machine/containers.ts": 1,
  "routes/machine/info.ts": 1,
  "routes/machine/releases.ts": 1,
  "routes/machine/speedtest.ts": 2,
  "routes/network/network.ts": 1,
  "routes/reach.ts": 1,
  "routes/wifi/radios.ts": 1,
  "routes/wifi/verdicts.ts": 2,
  "system/access/identity.ts": 1,
  "system/access/passkeys/ceremonies.ts": 1,
  "system/access/passkeys/webauthn.ts": 2,
  "system/access/roles.ts": 1,
  "system/alerts/channels/rules.ts": 1,
  "system/backup/collect.ts": 1,
  "system/backup/gzip.ts": 1,
  "system/backup/plan.ts": 1,
  "system/backup/tar.ts": 1,
  "system/certificates/server_certificate.ts": 1,
  "system/core/engine/journal/history.ts": 1,
  "system/core/engine/journal/restore_point.ts": 3,
  "system/core/engine/journal/undo.ts": 2,
  "system/core/engine/kernel/lockout.ts": 2,
  "system/devices/address.ts": 1,
  "system/devices/bulk/add.ts": 1,
  "system/devices/groups/group_rules.ts": 2,
  "system/devices/link.ts": 1,
  "system/devices/look_alikes.ts": 1,
  "system/devices/sync.ts": 5,
  "system/devices/update.ts": 2,
  "system/dhcp/leases/lease_rules.ts": 1,
  "system/dns/block/rules.ts": 2,
  "system/dns/log/rules.ts": 1,
  "system/dyndns/rules.ts": 2,
  "system/firewall/custom_rules.ts": 1,
  "system/firewall/rule_changes.ts": 1,
  "system/firewall/rules.ts": 1,
  "system/machine/clock_rules.ts": 2,
  "system/machine/rules.ts": 1,
  "system/mesh/parent_map.ts": 1,
  "system/network/interfaces/interface_mapping.ts": 3,
  "system/network/interfaces/link_rules.ts": 3,
  "system/network/interfaces/state_rules.ts": 1,
  "system/network/interfaces/vlan_links.ts": 1,
  "system/network/kernel/inspect.ts": 2,
  "system/reach/tests.ts": 2,
  "system/uplink/settings_rules.ts": 1,
  "system/wifi/radio/rules.ts": 2,
  "system/wifi/roaming/steering_loop.ts": 1,
  "system/wireguard/peers/peer_draft.ts": 1,
  "system/wireguard/peers/rules.ts": 1,
  "system/wireguard/sites/site_rules.ts": 2,
};

Deno.test("a sentence in a template is found, and one with an id is not", () => {
  assert.equal(unnamedIn("throw conflict(`There are ${n} of them`)"), 1);
  assert.equal(unnamedIn("invalid(`/Networks/${at}`,\n  `${name} is no name`)"), 1);
  assert.equal(unnamedIn("new Problem(404, `No ${what}`), new Problem(502, `No ${what}`)"), 1);
  assert.equal(unnamedIn('notFound(sentence("There is no user {user}", { user }))'), 0);
  assert.equal(unnamedIn('invalid(`/Networks/${at}`, "Use another name")'), 0);
});

Deno.test("a refusal with values in it has an id, so that it can be translated", async () => {
  const found: Record<string, number> = {};
  for await (const [path, source] of seenModules(ROOT)) {
    const count = unnamedIn(source);
    if (count > 0) found[path] = count;
  }
  assert.deepEqual(found, EXCEPTIONS);
});
