import { join } from "node:path";
import { childOfRunner } from "../child_of_runner.ts";
import { must } from "../lab/command.ts";
import { type Boot, clockParameters, type FailedBoot, nextBoot } from "./clock.ts";
import { cpio, folder, program } from "./cpio.ts";
import { BOOTED, firstInit, secondInit, SHARED, WRONG_CLOCK } from "./init.ts";
import { bootModules, NoVm, type VmKernel, vmKernel } from "./kernel.ts";

/** Debian packages that a virtual machine is made with. */
export const VM_PACKAGES: readonly string[] = [
  "qemu-system-x86",
  "kmod",
  "busybox-static",
  "e2fsprogs",
  "xz-utils",
  "zstd",
];

/** How a command is run in a virtual machine. */
export interface VmOptions {
  readonly command: readonly string[];
  /** Working folder; all files of this machine are there, and what is written is gone with it. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Files that lie before those of this machine: an ext4 file system in a file. */
  readonly disk?: string;
  /** Modules to load first, each with its parameters. */
  readonly load?: readonly (readonly string[])[];
  /** Seconds after which it is ended. */
  readonly seconds: number;
  /** Takes what the command prints, as it comes. */
  readonly print: (bytes: Uint8Array) => void;
  /** Files that the command leaves in {@link VM_SHARED}, moved to these paths of this machine. */
  readonly bring?: Readonly<Record<string, string>>;
}

/** The folder of the machine inside whose files can be brought out. */
export const VM_SHARED = SHARED;

/**
 * Without what makes Linux copy and clear memory byte by byte, which is emulated as that, and without
 * the protection keys by which V8 guards the code that it writes: the emulator forgets all addresses
 * at each change of their rights.
 */
const CPU = "max,erms=off,fsrm=off,pku=off";
const MEMORY_MIB = "2560";
/**
 * Seconds in which it begins with the command; on a busy machine it takes one minute. Now and then it
 * comes no further.
 */
const BOOT_SECONDS = 180;
/** The last clock halves the speed of the machine. */
const LAST_BOOT_SECONDS = 2 * BOOT_SECONDS;
/** The emulator has more work than anything that runs beside it, and its clocks suffer when it waits. */
const NICENESS = -6;
/** What the machine needs before it sees any file. */
const BOOT_MODULES = [
  "virtio_pci",
  "virtio_console",
  "virtio_rng",
  "9pnet_virtio",
  "9p",
  "overlay",
  "virtio_blk",
  "crc32c_generic",
  "ext4",
];

/** A machine that ended without its command's exit status. What it printed last is in the message. */
export class VmLost extends Error {
  override readonly name = "VmLost";
}

/**
 * Runs a command on Debian's own kernel in an emulated machine, which sees the files of this one, and
 * has no network to the outside. Answers the command's exit status. Throws NoVm where there is no
 * such machine, and VmLost where it did not come up, died or took too long.
 */
export async function runInVm(options: VmOptions): Promise<number> {
  const kernel = await vmKernel();
  const clocks = clockParameters(await Deno.readTextFile("/proc/cpuinfo"));
  const failed: FailedBoot[] = [];
  for (let boot = nextBoot(clocks, failed); boot !== null; boot = nextBoot(clocks, failed)) {
    const end = await runOnce(kernel, options, boot);
    if (typeof end === "number") return end;
    options.print(new TextEncoder().encode(`${end.what}; it is booted again\n`));
    failed.push(end.failed);
  }
  throw new VmLost(`The machine did not come up in ${failed.length} boots: ${failed.join(", ")}`);
}

/** Why a machine never began with its command. */
interface NoBoot {
  readonly failed: FailedBoot;
  readonly what: string;
}

async function runOnce(
  kernel: VmKernel,
  options: VmOptions,
  boot: Boot,
): Promise<number | NoBoot> {
  const run = await Deno.makeTempDir({ prefix: "sluice-vm-" });
  try {
    const shared = join(run, "shared");
    await Deno.mkdir(shared);
    const second = secondInit({
      command: options.command,
      folder: options.folder,
      env: options.env ?? {},
      modules: kernel.root,
      load: options.load ?? [],
      clockMatters: !boot.isLast,
    });
    await Deno.writeTextFile(join(shared, "second"), second);
    await Deno.writeFile(join(run, "initrd"), await firstFiles(kernel, options.disk !== undefined));
    const noBoot = await emulate(kernel, run, boot, options);
    if (noBoot !== null) return noBoot;
    const status = await Deno.readTextFile(join(shared, "status")).catch(() => null);
    const wrong = await Deno.readTextFile(join(shared, WRONG_CLOCK)).catch(() => null);
    if (wrong !== null) {
      const what = `The clock of the machine ran ${wrong.trim()} times as fast by ${boot.clock}`;
      return { failed: "wrong clock", what };
    }
    if (status === null) throw new VmLost(`The machine died:\n${await lastText(run)}`);
    for (const [name, path] of Object.entries(options.bring ?? {})) {
      await Deno.copyFile(join(shared, name), path).catch((error) => {
        // What the command did not come to leave.
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      });
    }
    return Number(status);
  } finally {
    await Deno.remove(run, { recursive: true });
  }
}

async function firstFiles(kernel: VmKernel, hasDisk: boolean): Promise<Uint8Array> {
  const modules = await bootModules(kernel, BOOT_MODULES);
  const busybox = (await must("sh", ["-c", "command -v busybox"])).trim();
  const init = new TextEncoder().encode(firstInit([...modules.keys()], hasDisk));
  return cpio([
    ...["bin", "m", "proc", "sys", "dev", "ro", "disk", "rw", "new"].map(folder),
    program("bin/busybox", await Deno.readFile(busybox)),
    ...[...modules].map(([name, content]) => program(`m/${name}`, content)),
    program("init", init),
  ]);
}

/** Runs the emulator until its machine ends; says so where it was ended as it did not come up. */
async function emulate(
  kernel: VmKernel,
  run: string,
  { clock, isLast }: Boot,
  options: VmOptions,
): Promise<NoBoot | null> {
  const files = (id: string, path: string, more = ""): readonly string[] => [
    ...["-fsdev", `local,id=${id},path=${path},security_model=none${more}`],
    ...["-device", `virtio-9p-pci,fsdev=${id},mount_tag=${id}`],
  ];
  const args = [
    // The emulator alone: hardware help of nested machines only sometimes works. One processor: two
    // wait for each other in the kernel, which costs the machine outside as much as work does.
    ...["-M", "q35", "-accel", "tcg,thread=multi", "-cpu", CPU, "-smp", "1", "-m", MEMORY_MIB],
    ...["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-nic", "none"],
    ...["-kernel", kernel.image, "-initrd", join(run, "initrd")],
    // What is translated of a program serves all its processes where each has it at one address.
    ...[
      "-append",
      `console=ttyS0 panic=-1 loglevel=5 mitigations=off ${clock} random.trust_cpu=on audit=0 nowatchdog norandmaps`,
    ],
    ...["-serial", `file:${join(run, "console")}`],
    ...["-device", "virtio-rng-pci", "-device", "virtio-serial-pci"],
    ...["-chardev", "file,id=out,path=/dev/stdout", "-device", "virtserialport,chardev=out,nr=1"],
    ...(options.disk === undefined ? [] : [
      "-drive",
      `file=${options.disk},format=raw,if=virtio,readonly=on,cache=unsafe`,
    ]),
    ...files("outside", "/", ",readonly=on,multidevs=remap"),
    ...files("shared", join(run, "shared")),
  ];
  const child = spawn(args);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill("SIGTERM");
  }, options.seconds * 1000);
  let booted = true, ended = false;
  const bootSeconds = isLast ? LAST_BOOT_SECONDS : BOOT_SECONDS;
  const watch = setTimeout(async () => {
    const isUp = await Deno.stat(join(run, "shared", BOOTED)).then(() => true, () => false);
    if (isUp || ended) return;
    booted = false;
    child.kill("SIGTERM");
  }, bootSeconds * 1000);
  try {
    const text = new Response(child.stderr).text();
    let printed = false;
    for await (const bytes of child.stdout) {
      printed = true;
      options.print(bytes);
    }
    const { success, code } = await child.status;
    ended = true;
    if (!booted) {
      const what = `The machine did not come up within ${bootSeconds} seconds by ${clock}`;
      return { failed: "not up", what };
    }
    if (late) {
      throw new VmLost(`Not done within ${options.seconds} seconds:\n${await lastText(run)}`);
    }
    const failed = `qemu-system-x86_64 ended with ${code}: ${(await text).trim().slice(-500)}`;
    // What never began says nothing of the tests.
    if (!success) throw printed ? new VmLost(failed) : new NoVm(failed);
    return null;
  } finally {
    clearTimeout(timer);
    clearTimeout(watch);
  }
}

function spawn(args: readonly string[]): Deno.ChildProcess {
  try {
    const first = Deno.uid() === 0 ? ["nice", "-n", String(NICENESS)] : [];
    return childOfRunner([...first, "qemu-system-x86_64", ...args], {
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
  } catch (error) {
    throw new NoVm(`it cannot be started: ${error instanceof Error ? error.message : error}`);
  }
}

/** The end of what the kernel inside said. */
async function lastText(run: string): Promise<string> {
  const text = await Deno.readTextFile(join(run, "console")).catch(() => "");
  return text.split("\n").slice(-25).join("\n");
}

export { NoVm };
