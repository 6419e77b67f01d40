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

test('on a platform without a bundled PostgreSQL the way out is named', async () => {
  Object.defineProperty(process, 'arch', { value: 'mips' })
  // A copy of its own: the module looks at the platform when it is loaded.
  const copy = '../../src/db/bundled/programs.ts?mips'
  const pretended = (await import(copy)) as { locatePrograms: typeof locatePrograms }
  expect(() => pretended.locatePrograms(prepareHome(tempFolder()))).toThrow(
    `There is no bundled PostgreSQL for this platform (${process.platform}-mips). ` +
      'Set DATABASE_URL to a PostgreSQL 15 or later.',
  )
})

test('library links that a blocked install script did not make are made at the start', () => {
  const { postgres } = locatePrograms(prepareHome(tempFolder()))
  const copy = join(tempFolder(), 'native')
  // As npm unpacks it: files only.
  cpSync(dirname(dirname(postgres)), copy, {
    recursive: true,
    filter: (path) => !lstatSync(path).isSymbolicLink(),
  })
  const works = () => spawnSync(join(copy, 'bin', 'postgres'), ['--version']).status === 0
  expect(works()).toBe(false)
  expect(linkLibraries(copy)).toBe(true)
  expect(works()).toBe(true)
})
