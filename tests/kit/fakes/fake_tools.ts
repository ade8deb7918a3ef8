import { join } from "node:path";

/** A fake nft that does as the real one does, until a test sets it otherwise. */
export interface FakeTools extends AsyncDisposable {
  /** For {@link import("../lab/router.ts").RouterOptions}: `nft` by its tool, never by its library. */
  readonly covers: Readonly<Record<string, string>>;
  /** Makes the tool refuse each call that changes something; null: do as the real one again. */
  refuse(tool: "nft", text: string | null): Promise<void>;
  /** Makes the next call that changes something hang for a minute. */
  hangOnce(tool: "nft"): Promise<void>;
  /** True once the call that was to hang is hanging. */
  hangs(tool: "nft"): Promise<boolean>;
}

/** Makes a fake of `nft` in a folder that goes with it. */
export async function fakeTools(): Promise<FakeTools> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-fake-" });
  const at = (name: string): string => join(folder, name);
  await Deno.copyFile("/usr/sbin/nft", at("nft.real"));
  await Deno.writeTextFile(at("nft"), script(folder, "nft"), { mode: 0o755 });
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
      [library]: at("empty"),
    },
    refuse: (tool, text) => flag(`${tool}.refuse`, text),
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
"-f -") ;;
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
exec "$real" "$@"
`;
}
