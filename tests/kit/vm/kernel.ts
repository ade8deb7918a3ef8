import { join } from "node:path";
import { command, must } from "../lab/command.ts";

/** Why there can be no virtual machine here: nothing that the tests are about. */
export class NoVm extends Error {}

/** Where the kernel lies, for all checkouts of this machine. */
const VM_CACHE = "/var/tmp/sluice-vm";

/** The package whose dependency is the newest kernel. */
const METAPACKAGE = "linux-image-amd64";
const FETCH_SECONDS = 180;

/** A kernel with its modules, unpacked and never installed. */
export interface VmKernel {
  readonly version: string;
  /** The kernel itself. */
  readonly image: string;
  /** Folder that holds `lib/modules`. */
  readonly root: string;
}

/**
 * Fetches Debian's kernel into the cache, unless one is there. Throws NoVm where that cannot be done.
 */
export async function vmKernel(): Promise<VmKernel> {
  if (Deno.build.arch !== "x86_64") throw new NoVm("the machine is not an x86_64");
  await Deno.mkdir(VM_CACHE, { recursive: true });
  // Two runs at once fetch once.
  using lock = await Deno.open(join(VM_CACHE, "lock"), { create: true, write: true });
  await lock.lock(true);
  const root = join(VM_CACHE, "root");
  const ready = join(VM_CACHE, "ready");
  const image = join(VM_CACHE, "vmlinux");
  const known = await Deno.readTextFile(ready).catch(() => null);
  if (known !== null) return { version: known, image, root };
  await Deno.remove(root, { recursive: true }).catch(() => {
    // Nothing was begun before.
  });
  await fetchInto(root);
  const version = await versionIn(root);
  await must("depmod", ["-b", root, version]);
  await Deno.writeFile(image, await unpacked(join(root, "boot", `vmlinuz-${version}`)));
  await Deno.writeTextFile(ready, version);
  return { version, image, root };
}

async function fetchInto(root: string): Promise<void> {
  const depends = async (): Promise<string | undefined> => {
    const { stdout } = await command("apt-cache", ["depends", METAPACKAGE]);
    return /Depends: (linux-image-[a-z0-9.+-]+)/.exec(stdout)?.[1];
  };
  let name = await depends();
  if (name === undefined) {
    await command("timeout", [String(FETCH_SECONDS), "apt-get", "-qq", "update"]);
    name = await depends();
  }
  if (name === undefined) throw new NoVm(`apt knows no package ${METAPACKAGE}`);
  const folder = await Deno.makeTempDir({ dir: VM_CACHE, prefix: "deb-" });
  try {
    const fetched = await command("timeout", [
      ...[String(FETCH_SECONDS), "sh", "-c", 'cd "$1" && exec apt-get -qq download "$2"'],
      ...["sh", folder, name],
    ]);
    const file = [...Deno.readDirSync(folder)].find((one) => one.name.endsWith(".deb"));
    if (!fetched.ok || file === undefined) {
      throw new NoVm(`apt-get download ${name} failed: ${fetched.stderr.trim().slice(-500)}`);
    }
    await must("dpkg-deb", ["-x", join(folder, file.name), root]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  // Newer packages hold everything below usr.
  if (await Deno.stat(join(root, "lib")).then(() => false, () => true)) {
    await Deno.symlink("usr/lib", join(root, "lib"));
  }
}

async function versionIn(root: string): Promise<string> {
  for await (const { name } of Deno.readDir(join(root, "boot"))) {
    if (name.startsWith("vmlinuz-")) return name.slice("vmlinuz-".length);
  }
  throw new NoVm("the kernel's package holds no kernel");
}

/** How a kernel may be packed (Linux, scripts/extract-vmlinux), and what unpacks it. */
const PACKINGS: readonly { readonly magic: readonly number[]; readonly tool: string }[] = [
  { magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], tool: "xz" },
  { magic: [0x28, 0xb5, 0x2f, 0xfd], tool: "zstd" },
  { magic: [0x1f, 0x8b, 0x08], tool: "gzip" },
];
const ELF = [0x7f, 0x45, 0x4c, 0x46];

/**
 * The kernel as it lies in memory: an emulated machine would unpack it some four seconds long. As it
 * is where nobody can unpack it.
 */
async function unpacked(path: string): Promise<Uint8Array> {
  const packed = await Deno.readFile(path);
  for (const { magic, tool } of PACKINGS) {
    const at = find(packed, magic);
    if (at < 0) continue;
    const plain = await through(tool, packed.subarray(at));
    if (ELF.every((byte, i) => plain[i] === byte)) return plain;
  }
  return packed;
}

function find(bytes: Uint8Array, wanted: readonly number[]): number {
  for (let at = bytes.indexOf(wanted[0]!); at >= 0; at = bytes.indexOf(wanted[0]!, at + 1)) {
    if (wanted.every((byte, i) => bytes[at + i] === byte)) return at;
  }
  return -1;
}

/** Unpacks what begins the bytes; what follows it is no matter. */
async function through(tool: string, packed: Uint8Array): Promise<Uint8Array> {
  const child = new Deno.Command(tool, {
    args: ["-dcq"],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  const written = writer.write(new Uint8Array(packed)).then(() => writer.close()).catch(() => {
    // The tool ends at what follows, its work done.
  });
  const { stdout } = await child.output();
  await written;
  return stdout;
}

/**
 * Modules that the machine needs before it can reach its files, with what they need, in order:
 * contents by file name.
 */
export async function bootModules(
  { root, version }: VmKernel,
  names: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const modules = new Map<string, Uint8Array>();
  for (const name of names) {
    const shown = await must("modprobe", ["-d", root, "-S", version, "--show-depends", name]);
    for (const [, path] of shown.matchAll(/^insmod (\S+)/gm)) {
      const file = path!.slice(path!.lastIndexOf("/") + 1).replace(/\.ko\..*$/, ".ko");
      if (modules.has(file)) continue;
      const bytes = await Deno.readFile(path!);
      const packing = PACKINGS.find(({ magic }) => magic.every((byte, i) => bytes[i] === byte));
      modules.set(file, packing === undefined ? bytes : await through(packing.tool, bytes));
    }
  }
  return modules;
}
