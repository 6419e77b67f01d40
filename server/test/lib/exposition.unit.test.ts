import { expect, test } from 'vitest'
import { addUp, countedIn, readFamilies, writeFamilies } from '../../src/lib/exposition.ts'

const family = (name: string, type: string, ...samples: string[]) =>
  readFamilies([`# HELP ${name} Something`, `# TYPE ${name} ${type}`, ...samples].join('\n'))

const sum = (...all: ReturnType<typeof readFamilies>[]) => writeFamilies(addUp(all))

test('a text is written as it was read', () => {
  const text = [
    '# HELP a_total What is counted\n# TYPE a_total counter\na_total{x="a b \\" } 1"} 3\na_total 0.25',
    '# HELP b What is measured\n# TYPE b histogram\nb_bucket{le="+Inf"} 2\nb_sum 1e-7\nb_count 2',
    '# HELP c What is far away\n# TYPE c gauge\nc +Inf\nc{d=""} -Inf',
    '# HELP e What nobody has measured\n# TYPE e gauge',
  ].join('\n\n')
  expect(writeFamilies(readFamilies(`${text}\n`))).toBe(`${text}\n`)
})

test('what is counted adds up, label by label', () => {
  const one = family('a_total', 'counter', 'a_total{x="1"} 3', 'a_total{x="2"} 1')
  const other = family('a_total', 'counter', 'a_total{x="2"} 4', 'a_total{x="3"} 5')
  expect(sum(one, other)).toContain('a_total{x="1"} 3\na_total{x="2"} 5\na_total{x="3"} 5\n')
  const times = family('b', 'histogram', 'b_bucket{le="1"} 2', 'b_sum 1.5', 'b_count 2')
  expect(sum(times, times)).toContain('b_bucket{le="1"} 4\nb_sum 3\nb_count 4\n')
})

test.each([
  ['latchkey_mail_waiting', '7 7', '7', 'what the database knows is the same for all'],
  ['latchkey_database_up', '1 0', '0', 'one that does not reach it is enough'],
  ['latchkey_change_feed_connected', '1 0', '0', 'one that does not hear is enough'],
  ['latchkey_database_connections_max', '10 10', '20', 'each has its own'],
  ['process_resident_memory_bytes', '5 6', '11', 'each takes its own'],
  ['process_start_time_seconds', '100 90', '90', 'the first one began'],
  ['nodejs_eventloop_lag_p99_seconds', '0.1 0.4', '0.4', 'the busiest'],
  ['nodejs_eventloop_lag_seconds', 'NaN 0.4', '0.4', 'one has not measured yet'],
])('of %s, %s become %s: %s', (name, values, expected) => {
  const all = values.split(' ').map((value) => family(name, 'gauge', `${name} ${value}`))
  expect(sum(...all)).toContain(`\n${name} ${expected}\n`)
})

test('of one that is gone only what was counted remains', () => {
  const all = new Map([
    ...family('a_total', 'counter', 'a_total 3'),
    ...family('b', 'gauge', 'b 3'),
    ...family('c', 'histogram', 'c_sum 1'),
  ])
  expect([...countedIn(all).keys()]).toEqual(['a_total', 'c'])
})
