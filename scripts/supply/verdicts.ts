// What can be said of the packages without asking anybody: which of them the lock file has no hash of, and what the answer of a registry
// about known faults means.

interface Locked {
  integrity?: string;
  link?: boolean;
}

export interface LockFile {
  packages: Record<string, Locked>;
}

/** Packages that npm would install whatever is in them. */
export const unhashed = ({ packages }: LockFile): string[] =>
  Object.entries(packages)
    .filter(
      ([path, { integrity, link }]) => path.includes('node_modules/') && !link && !/^sha512-/.test(integrity ?? ''),
    )
    .map(([path]) => path);

export interface Manifest {
  engines: { node: string };
  optionalDependencies: Record<string, string>;
}

/** What is wrong with the Node that everything runs on: it is a package of the lock file, of the version that the image and the manifest name. */
export function nodeFaults(lock: LockFile, { engines, optionalDependencies }: Manifest, dockerfile: string): string[] {
  const pinned = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-'));
  const versions = new Set(pinned.map(([, version]) => version));
  const [version = ''] = versions;
  const bases = [...dockerfile.matchAll(/^FROM node:(\d+\.\d+\.\d+)/gm)].map(([, base]) => base);
  return [
    ...(versions.size === 1 && /^\d+\.\d+\.\d+$/.test(version) ? [] : ['no single version of Node is pinned']),
    ...pinned.flatMap(([name]) => (lock.packages[`node_modules/${name}`]?.integrity ? [] : [`${name} is not locked`])),
    ...('node_modules/node' in lock.packages ? ['the package node fetches its binary outside of the lock file'] : []),
    ...bases.filter((base) => base !== version).map((base) => `the image has Node ${base}, the lock file ${version}`),
    ...(engines.node.startsWith(`>=${version.split('.').slice(0, 2).join('.')} `)
      ? []
      : [`engines.node is ${engines.node}`]),
  ];
}

/** What `npm audit --json` wrote. `unanswered`: nothing is known, which is not the same as nothing was found. */
export type Advice =
  | { kind: 'unanswered'; why: string }
  | { kind: 'clean' }
  | { kind: 'found'; faults: { name: string; severity: string; titles: string[] }[] };

interface Report {
  message?: string;
  error?: { summary?: string };
  vulnerabilities?: Record<string, { severity: string; via: (string | { title: string; url: string })[] }>;
}

export function adviceOf(text: string): Advice {
  let report: Report;
  try {
    report = JSON.parse(text) as Report;
  } catch {
    return { kind: 'unanswered', why: text.trim().split('\n')[0] || 'npm said nothing' };
  }
  if (!report?.vulnerabilities) {
    return { kind: 'unanswered', why: report?.message ?? report?.error?.summary ?? 'npm told of no packages' };
  }
  const faults = Object.entries(report.vulnerabilities).map(([name, { severity, via }]) => ({
    name,
    severity,
    titles: via.flatMap((one) => (typeof one === 'string' ? [] : [`${one.title} (${one.url})`])),
  }));
  return faults.length === 0 ? { kind: 'clean' } : { kind: 'found', faults };
}
