import { spawnSync } from 'node:child_process'
import { cpSync, lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { prepareHome } from '../../src/db/bundled/home.ts'
import { linkLibraries, locatePrograms } from '../../src/db/bundled/programs.ts'
import { tempFolder } from '../support/program.ts'

const { arch } = process
afterEach(() => {
  Object.defineProperty(process, 'arch', { value: arch })
})

test('on a platform without a bundled PostgreSQL the error names the solution', async () => {
  Object.defineProperty(process, 'arch', { value: 'mips' })
  // Imported again, because the module reads the platform when it is loaded.
  const copy = '../../src/db/bundled/programs.ts?mips'
  const reloaded = (await import(copy)) as { locatePrograms: typeof locatePrograms }
  expect(() => reloaded.locatePrograms(prepareHome(tempFolder()))).toThrow(
    `This installation has no bundled PostgreSQL for this platform (${process.platform}-mips). ` +
      'Set DATABASE_URL to a PostgreSQL 15 or later.',
  )
})

test('missing library links are created at the start, if the install script was blocked', () => {
  const { postgres } = locatePrograms(prepareHome(tempFolder()))
  const copy = join(tempFolder(), 'native')
  // npm unpacks files only, without links.
  cpSync(dirname(dirname(postgres)), copy, {
    recursive: true,
    filter: (path) => !lstatSync(path).isSymbolicLink(),
  })
  const works = () => spawnSync(join(copy, 'bin', 'postgres'), ['--version']).status === 0
  expect(works()).toBe(false)
  expect(linkLibraries(copy)).toBe(true)
  expect(works()).toBe(true)
})
