import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { splitHosts } from '../../src/lib/database-address.ts'

test.each([
  ['postgres://app:secret@one:5432,two/latchkey?sslmode=require', ['one:5432', 'two']],
  ['postgresql://one,two,[::1]:6000/latchkey?sslmode=require', ['one', 'two', '[::1]:6000']],
])('%s names several servers', (address, hosts) => {
  const [before = '', after = ''] = address.split(hosts.join(','))
  expect(splitHosts(address)).toEqual(hosts.map((host) => before + host + after))
})

test.each([
  'postgres://app:secret@one:5432/latchkey',
  'postgres://app:se,cret@one/latchkey',
  'postgres://app@/latchkey?host=/run/postgresql',
  'postgres://app@one/latchkey?options=a,b',
])('%s names one server', (address) => {
  expect(splitHosts(address)).toEqual([address])
})

const problemsOf = (url: string) => {
  try {
    loadConfig('demo', { DATABASE_URL: url })
    return ''
  } catch (error) {
    return String(error)
  }
}

test('an invalid URL with several servers is rejected, without the password in the message', () => {
  const attributes = (value: string) => `postgres://app:secret@one,two/latchkey?target_session_attrs=${value}`
  expect(problemsOf(attributes('read-write'))).toBe('')
  expect(problemsOf(attributes('primary'))).toBe('')
  expect(problemsOf(attributes('any'))).toMatch(/DATABASE_URL names several servers, so target_session_attrs must be/)
  const empty = problemsOf('postgres://app:secret@one,,two/latchkey')
  expect(empty).toMatch(/DATABASE_URL must name each of its servers/)
  expect(empty).not.toContain('secret')
})
