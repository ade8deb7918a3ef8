import { checkClock, readClocks } from "./clock.ts";

/** What a virtual machine is to do. */
export interface VmTask {
  readonly command: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Folder that holds `lib/modules` of the kernel. */
  readonly modules: string;
  /** Modules to load first, each with its parameters. */
  readonly load: readonly (readonly string[])[];
  /** Whether the command is only run when the clock runs right. */
  readonly clockMatters: boolean;
}

/** Where the folder that is shared with the machine outside lies. */
export const SHARED = "/run/vm";
/** The file in {@link SHARED} that holds how many times as fast a clock ran that was not right. */
export const WRONG_CLOCK = "clock";
/** The file in {@link SHARED} that is there once the command begins. */
export const BOOTED = "booted";

/** A word as a shell reads it, whatever it holds. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command with its arguments as a shell reads them. */
export function line(...words: readonly string[]): string {
  return words.map(quoted).join(" ");
}

/**
 * The first program of the machine: puts the files of its disk before those of the machine outside,
 * neither of which can be written, below a layer of memory that can, and goes on there.
 */
export function firstInit(modules: readonly string[], hasDisk: boolean): string {
  const nine = "trans=virtio,version=9p2000.L,msize=512000";
  return [
    "#!/bin/busybox sh",
    "/bin/busybox --install -s /bin",
    "export PATH=/bin",
    "mount -t proc proc /proc",
    "mount -t sysfs sysfs /sys",
    "mount -t devtmpfs dev /dev",
    ...readClocks("BOOT"),
    ...modules.map((name) => line("insmod", `/m/${name}`)),
    `mount -t 9p -o ${nine},cache=loose,ro outside /ro`,
    "mount -t tmpfs -o size=80% tmpfs /rw",
    "mkdir /rw/upper /rw/work",
    ...(hasDisk ? ["mount -t ext4 -o ro /dev/vda /disk"] : []),
    `mount -t overlay -o lowerdir=${hasDisk ? "/disk:/ro" : "/ro"},` +
    "upperdir=/rw/upper,workdir=/rw/work overlay /new",
    "mount -t tmpfs tmpfs /new/run",
    `mkdir /new/run/lock /new${SHARED}`,
    `mount -t 9p -o ${nine} shared /new${SHARED}`,
    "cp /bin/busybox /new/run/busybox",
    "mount --move /proc /new/proc",
    "mount --move /sys /new/sys",
    "mount --move /dev /new/dev",
    `exec switch_root /new /bin/sh ${SHARED}/second`,
    "",
  ].join("\n");
}

/** What the machine does once it has its files; its command's output goes to the outside. */
export function secondInit(task: VmTask): string {
  const env = Object.entries({
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOME: "/root",
    TERM: "dumb",
    LABVM: "1",
    ...task.env,
  });
  return [
    ...env.map(([name, value]) => `export ${name}=${quoted(value)}`),
    "mkdir -p /dev/pts /dev/shm /lib/modules",
    "ln -s /proc/self/fd /dev/fd",
    "ln -s fd/0 /dev/stdin",
    "ln -s fd/1 /dev/stdout",
    "ln -s fd/2 /dev/stderr",
    "mount -t devpts devpts /dev/pts",
    "mount -t tmpfs tmpfs /dev/shm",
    line("mount", "--bind", `${task.modules}/lib/modules`, "/lib/modules"),
    "mount --make-rshared /",
    "hostname vm",
    "ip link set lo up",
    ...task.load.map((module) => line("modprobe", ...module)),
    "until [ -e /dev/vport0p1 -o -e /dev/vport1p1 -o -e /dev/vport2p1 ]; do sleep 0.1; done",
    ...(task.clockMatters ? checkClock(`${SHARED}/${WRONG_CLOCK}`) : []),
    `: >${SHARED}/${BOOTED}`,
    line("cd", task.folder),
    `${line(...task.command)} </dev/null >$(ls /dev/vport*p1) 2>&1`,
    `echo $? >${SHARED}/status`,
    "sync",
    "/run/busybox reboot -f",
    "",
  ].join("\n");
}
