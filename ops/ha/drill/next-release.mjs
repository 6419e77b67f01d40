// Simulates the next release: this release with one more migration.
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FOLDER, LATCHKEY } from '../settings.mjs'

const server = join(dirname(LATCHKEY), '..')
const MIGRATIONS = join('src', 'db', 'migrations')

/** Copies the program as an installed package and returns its path. */
export function createNextRelease() {
  const root = join(FOLDER, 'next-release')
  const copy = join(root, 'server')
  rmSync(root, { recursive: true, force: true })
  mkdirSync(copy, { recursive: true })
  for (const part of ['bin', 'dist', 'public', 'package.json', 'src']) {
    cpSync(join(server, part), join(copy, part), { recursive: true })
  }
  symlinkSync(join(server, '..', 'node_modules'), join(root, 'node_modules'))
  const last = Math.max(...readdirSync(join(server, MIGRATIONS)).map((file) => Number(file.slice(0, 4))))
  const toNumber = (version) => String(version).padStart(4, '0')
  writeFileSync(
    join(copy, MIGRATIONS, `${toNumber(last + 1)}_next_release.sql`),
    `-- Compatible with programs of migration ${toNumber(last)}.
alter table tenants add column next_release text;
alter table refresh_tokens add column next_release integer not null default 0;
create table next_release (id uuid primary key, note text);
`,
  )
  return join(copy, 'bin', 'latchkey.js')
}
