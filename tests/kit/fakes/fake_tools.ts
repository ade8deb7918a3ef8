import { join } from "node:path";

/** Tools that do as the real ones do, until a test tells them otherwise. */
export interface FakeTools extends AsyncDisposable {
  /** For {@link import("../lab/router.ts").RouterOptions}: `nft` by its tool, never by its library. */
  readonly covers: Readonly<Record<string, string>>;
  /** Makes the tool refuse each call that changes something; null: do as the real one again. */
  refuse(tool: "nft" | "ip", words: string | null): Promise<void>;
  /** Makes `ip -batch` carry out the lines before the first that holds this text, and then fail. */
  failAt(text: string | null): Promise<void>;
  /** Makes the next call that changes something hang for a minute. */
  hangOnce(tool: "nft" | "ip"): Promise<void>;
  /** True once the call that was to hang is hanging. */
  hangs(tool: "nft" | "ip"): Promise<boolean>;
}

/** Makes fakes of `nft` and `ip` in a folder that goes with them. */
export async function fakeTools(): Promise<FakeTools> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-fake-" });
  const at = (name: string): string => join(folder, name);
  for (const [tool, path] of [["nft", "/usr/sbin/nft"], ["ip", "/usr/bin/ip"]] as const) {
    await Deno.copyFile(path, at(`${tool}.real`));
    await Deno.writeTextFile(at(tool), script(folder, tool), { mode: 0o755 });
  }
  await Deno.writeTextFile(at("empty"), "");
  const flag = async (name: string, text: string | null): Promise<void> => {
    if (text !== null) await Deno.writeTextFile(at(name), text);
    else await Deno.remove(at(name)).catch(() => {});
  };
  const library = await Deno.realPath("/usr/lib/x86_64-linux-gnu/libnftables.so.1");
  await Deno.mkdir(at("lib"));
  await Deno.copyFile(library, at("lib/libnftables.so.1"));
  return {
    covers: {
      "/usr/sbin/nft": at("nft"),
      "/usr/bin/ip": at("ip"),
      [library]: at("empty"),
    },
    refuse: (tool, words) => flag(`${tool}.refuse`, words),
    failAt: (text) => flag("ip.fail", text),
    hangOnce: (tool) => flag(`${tool}.hang`, ""),
    hangs: (tool) => Deno.stat(at(`${tool}.hangs`)).then(() => true, () => false),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** Looks only at calls that change something: those read their script from the standard input. */
function script(folder: string, tool: string): string {
  return `#!/bin/sh
real=${folder}/${tool}.real
# The real nft needs the library that is covered.
export LD_LIBRARY_PATH=${folder}/lib
case "$*" in
"-f -" | "-batch -") ;;
*) exec "$real" "$@" ;;
esac
if rm ${folder}/${tool}.hang 2>/dev/null; then
  touch ${folder}/${tool}.hangs
  exec sleep 60
fi
if [ -e ${folder}/${tool}.refuse ]; then
  cat >/dev/null
  cat ${folder}/${tool}.refuse >&2
  exit 1
fi
if [ "${tool}" = ip ] && [ -e ${folder}/ip.fail ]; then
  lines=$(mktemp -p ${folder})
  cat >"$lines"
  number=$(grep -n -m1 -F -- "$(cat ${folder}/ip.fail)" "$lines" | cut -d: -f1)
  [ -n "$number" ] || exec "$real" -batch - <"$lines"
  head -n "$((number - 1))" "$lines" | "$real" -batch - || exit 1
  echo "RTNETLINK answers: No buffer space available" >&2
  echo "Command failed -:$number" >&2
  exit 1
fi
exec "$real" "$@"
`;
}
