// The program of the next release, as far as an upgrade is concerned: this one with a migration more.
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FOLDER, LATCHKEY } from '../settings.mjs'

const server = join(dirname(LATCHKEY), '..')
const MIGRATIONS = join('src', 'db', 'migrations')

/** Lays it out as an installed package, and returns the path of its program. */
export function makeNextRelease() {
  const root = join(FOLDER, 'next-release')
  const copy = join(root, 'server')
  rmSync(root, { recursive: true, force: true })
  mkdirSync(copy, { recursive: true })
  for (const part of ['bin', 'dist', 'public', 'package.json', 'src']) {
    cpSync(join(server, part), join(copy, part), { recursive: true })
  }
  symlinkSync(join(server, '..', 'node_modules'), join(root, 'node_modules'))
  const last = Math.max(...readdirSync(join(server, MIGRATIONS)).map((file) => Number(file.slice(0, 4))))
  const number = (version) => String(version).padStart(4, '0')
  writeFileSync(
    join(copy, MIGRATIONS, `${number(last + 1)}_next_release.sql`),
    `-- Programs that know migration ${number(last)} go on working.
alter table tenants add column next_release text;
alter table refresh_tokens add column next_release integer not null default 0;
create table next_release (id uuid primary key, note text);
`,
  )
  return join(copy, 'bin', 'latchkey.js')
}
