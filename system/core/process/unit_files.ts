import { isAbsolute, join } from "node:path";
import { denoArguments, MEMORY_VARIABLES } from "./deno_arguments.ts";
import { grantedPermissions, type ProcessDescriptor, type UnitDescriptor } from "./descriptor.ts";
import { MAX_SILENCE_S } from "./life_signs.ts";
import { rootUnits } from "./root_units.ts";
import { parseSettings, SECRET_VARIABLES, type Settings } from "./settings.ts";

/** Where the manual installs the program, and its home folder. */
const ROOT = "/opt/sluice";
const HOME = "/var/lib/sluice";
const DENO = "/usr/local/bin/deno";

const GENERATED = "# Generated from the process descriptors by `deno task units`.\n";
/** A process that refuses its settings (exit status of a refusal) is not started again. */
const REFUSED_STATUS = 78;

type WithUnit = ProcessDescriptor & { readonly unit: UnitDescriptor };

/**
 * The generated files of `configs/systemd/` by name: a unit per process, the units that act as root
 * for them, the target, users and folders.
 */
export function systemdFiles(
  processes: readonly ProcessDescriptor[],
): Readonly<Record<string, string>> {
  const withUnit = processes.filter((process): process is WithUnit => process.unit !== null);
  const units = withUnit.map((process) => [unitName(process), processUnit(process)] as const);
  const files = {
    ...Object.fromEntries(units),
    ...rootUnits(withUnit),
    "sluice.target": target(withUnit),
    "sluice.sysusers.conf": sysusers(withUnit),
    "sluice.tmpfiles.conf": tmpfiles(processes),
  };
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, GENERATED + text]),
  );
}

function unitName({ name }: Pick<ProcessDescriptor, "name">): string {
  return `sluice-${name}.service`;
}

function processUnit(process: WithUnit): string {
  const { unit } = process;
  const { account } = unit;
  const capabilities = unit.capabilities.join(" ");
  const memory = Object.entries(MEMORY_VARIABLES).map((entry) => entry.join("=")).join(" ");
  const cache = account.user === "root" ? `sluice-${process.name}` : account.user;
  return `[Unit]
Description=Sluice: ${process.purpose}
After=${unit.after.join(" ")}
${setting("Before", unit.before)}PartOf=sluice.target
# However it ended, it is started again for as long as it takes.
StartLimitIntervalSec=0

[Service]
Type=exec
User=${account.user}
Group=${account.group}
${setting("SupplementaryGroups", account.memberOf)}WorkingDirectory=${ROOT}
Environment=SLUICE_HOME=${HOME} NO_COLOR=1 ${memory}
EnvironmentFile=-/etc/default/sluice
${process.secrets === true ? "" : `UnsetEnvironment=${SECRET_VARIABLES.join(" ")}\n`}ExecStart=${
    command(process)
  }
Restart=${unit.restart}
RestartSec=1
RestartPreventExitStatus=${REFUSED_STATUS}
# Once it has started, the process sets its watchdog to ${
    process.maxSilence ?? MAX_SILENCE_S
  } s (sd_notify(3)). When it is stopped
# or hangs it takes no signal but this one.
NotifyAccess=main
WatchdogSignal=SIGKILL
TimeoutStopSec=5
${unit.keepsChildren === true ? "KillMode=process\n" : ""}${
    unit.maxOpenFiles === undefined ? "" : `LimitNOFILE=${unit.maxOpenFiles}\n`
  }UMask=0007
${
    account.user === "root"
      ? ""
      : `AmbientCapabilities=${capabilities}\n`
  }CapabilityBoundingSet=${capabilities}
NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths=${unit.writable.map(installed).join(" ")}
${
    unit.privateState === true
      ? `StateDirectory=sluice-${process.name}\nStateDirectoryMode=0700\n`
      : ""
  }RuntimeDirectory=sluice-${process.name}
RuntimeDirectoryMode=0700
CacheDirectory=${cache}
Environment=DENO_DIR=/var/cache/${cache}
ProtectHome=yes
${unit.seesProcesses === true ? "" : "ProtectProc=invisible\n"}PrivateTmp=yes
${devices(unit.devices ?? [])}ProtectKernelModules=yes
${unit.writesSysctls === true ? "" : "ProtectKernelTunables=yes\n"}ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
RestrictAddressFamilies=${unit.addressFamilies.join(" ")}
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
# A refused call fails instead of ending the process: V8 tries protection keys and does without.
SystemCallErrorNumber=EPERM

[Install]
WantedBy=sluice.target
`;
}

/** The settings that a unit starts its process with. */
export function unitSettings({ name, unit }: ProcessDescriptor): Settings {
  return parseSettings({ SLUICE_HOME: HOME }, {
    root: ROOT,
    bundled: true,
    attached: false,
    services: [name],
    privateState: unit?.privateState === true ? `${HOME}-${name}` : null,
    watchdog: `/run/sluice-${name}/watchdog`,
  });
}

/** The launcher's command, a line per permission, without a parent to attach to. */
function command(process: WithUnit): string {
  const settings = unitSettings(process);
  const permissions = { ...grantedPermissions(process, settings), ...process.unit.permissions };
  const words = denoArguments(process, settings, permissions)
    .filter((word) => word !== "--attached");
  const isGrant = (word: string): boolean => word.startsWith("--allow-");
  const first = words.findIndex(isGrant);
  const last = words.findLastIndex(isGrant);
  return [
    [DENO, ...words.slice(0, first)].join(" "),
    ...words.slice(first, last + 1),
    words.slice(last + 1).join(" "),
  ].join(" \\\n    ");
}

function setting(name: string, values: readonly string[] = []): string {
  return values.length === 0 ? "" : `${name}=${values.join(" ")}\n`;
}

function devices(paths: readonly string[]): string {
  return paths.length === 0
    ? "PrivateDevices=yes\n"
    : `DevicePolicy=closed\n${paths.map((path) => `DeviceAllow=${path} rw\n`).join("")}`;
}

function installed(path: string): string {
  return isAbsolute(path) ? path : join(HOME, path);
}

function target(processes: readonly WithUnit[]): string {
  const sockets = Object.keys(rootUnits(processes)).filter((name) => name.endsWith(".socket"));
  return `[Unit]
Description=Sluice, the management plane of this router
Documentation=file://${ROOT}/docs/operating.md
Wants=sluice-boot.service ${[...sockets, ...processes.map(unitName)].join(" ")}

[Install]
WantedBy=multi-user.target
`;
}

function sysusers(processes: readonly WithUnit[]): string {
  const accounts = processes.map(({ purpose, unit }) => ({ ...unit.account, purpose }));
  const created = accounts.filter(({ user }) => user !== "root");
  const groups = new Set(accounts.map(({ group }) => group));
  const memberships = created.flatMap(({ user, group, memberOf = [] }) =>
    [group, ...memberOf].filter((name) => groups.has(name) && name !== user)
      .map((name) => `m ${user} ${name}\n`)
  );
  // A user implies the group of its own name.
  for (const { user } of created) groups.delete(user);
  return `# Install as /usr/lib/sysusers.d/sluice.conf.
${[...groups].map((group) => `g ${group} - -\n`).join("")}${
    created.map(({ user, purpose }) => `u ${user} - "Sluice, ${purpose}" ${HOME}\n`).join("")
  }${memberships.join("")}`;
}

function tmpfiles(processes: readonly ProcessDescriptor[]): string {
  const shared = processes.flatMap(({ folders }) => folders).flatMap(({ path, owner, sticky }) =>
    owner === undefined
      ? []
      : [{ path: join(HOME, "state", path), mode: sticky === true ? "3770" : "2770", ...owner }]
  );
  const root = { user: "root", group: "root" }, admin = "sluice";
  // As under the launcher: nobody puts another folder in the place of one.
  const all = [
    { path: HOME, mode: "0751", ...root },
    { path: `${HOME}/configs`, mode: "0750", user: admin, group: admin },
    { path: `${HOME}/state`, mode: "1771", user: root.user, group: admin },
    ...shared,
  ];
  return `# Install as /usr/lib/tmpfiles.d/sluice.conf. Each process passes through to its own folder, and
# none can put another in its place; new sockets take the group of their folder.
${all.map(({ path, mode, user, group }) => `d ${path} ${mode} ${user} ${group}\n`).join("")}`;
}
