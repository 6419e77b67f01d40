import { afterEach, expect, test, vi } from 'vitest'
import { prepareHome } from '../../src/db/bundled/home.ts'
import { tempFolder } from '../support/program.ts'

const { arch } = process
afterEach(() => {
  Object.defineProperty(process, 'arch', { value: arch })
  vi.resetModules()
})

test('on a platform without a bundled PostgreSQL the way out is named', async () => {
  vi.resetModules()
  Object.defineProperty(process, 'arch', { value: 'mips' })
  const { locatePrograms } = await import('../../src/db/bundled/programs.ts')
  expect(() => locatePrograms(prepareHome(tempFolder()))).toThrow(
    `There is no bundled PostgreSQL for this platform (${process.platform}-mips). ` +
      'Set DATABASE_URL to a PostgreSQL 15 or later.',
  )
})
