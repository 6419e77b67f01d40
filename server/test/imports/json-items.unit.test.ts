import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitJson } from '../../src/imports/json-items.ts'

const MAX_BYTES = 1_000

/** The items of a text that arrives in chunks of this size. */
async function split(text: string, { sections = ['users'], chunkSize = 5, maxBytes = MAX_BYTES } = {}) {
  const bytes = Buffer.from(text)
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, i) =>
    bytes.subarray(i * chunkSize, (i + 1) * chunkSize),
  )
  const items = []
  for await (const item of splitJson(Readable.from(chunks), { sections, maxBytes })) items.push(item)
  return items
}

const parse = (items: Awaited<ReturnType<typeof split>>) => items.map(({ bytes }) => JSON.parse(String(bytes)))

test('any document yields the elements of its lists, however it is written and cut into chunks', async () => {
  const document = fc.record({
    users: fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 5 }),
    other: fc.jsonValue({ maxDepth: 3 }),
    'a "key" \\': fc.jsonValue({ maxDepth: 2 }),
  })
  await fc.assert(
    fc.asyncProperty(
      document,
      fc.nat({ max: 3 }),
      fc.integer({ min: 1, max: 40 }),
      async (value, indent, chunkSize) => {
        const text = JSON.stringify(value, null, indent)
        const options = { chunkSize, maxBytes: Number.POSITIVE_INFINITY }
        expect(parse(await split(text, options))).toEqual(JSON.parse(text).users)
        const list = JSON.stringify(value.users, null, indent)
        expect(parse(await split(list, options))).toEqual(JSON.parse(list))
      },
    ),
  )
})

test('an element has its list, its index and the line where it begins', async () => {
  const text = '\ufeff{\n "x": {"users": [1]},\n "users": [ {"a": 1}, {\n"b": [2]} ],\n "clients": [{}]\n}\n'
  const items = await split(text, { sections: ['users', 'clients'] })
  expect(items.map(({ section, index, line }) => [section, index, line])).toEqual([
    ['users', 0, 3],
    ['users', 1, 3],
    ['clients', 0, 5],
  ])
})

test('several documents may follow each other: pages of an answer, or one object per line', async () => {
  expect(parse(await split('{"users":[1,2]}\n{"users":[3]} [4]'))).toEqual([1, 2, 3, 4])
  expect(parse(await split('{"a":1}\n\n{"a":2}\r\n[{"a":3}]', { sections: [] }))).toEqual([
    { a: 1 },
    { a: 2 },
    { a: 3 },
  ])
})

test('an element that is too long is not kept, and the next one is read', async () => {
  const items = await split(`[{"a":"${'x'.repeat(MAX_BYTES)}"},{"b":1}]`)
  expect(items.map(({ bytes }) => bytes?.toString())).toEqual([undefined, '{"b":1}'])
})

describe('a malformed document is refused with the line', () => {
  test.each([
    ['email,name\na@b.test,A\n', 'line 1: this is not JSON: a document begins with { or [.'],
    ['{\n"users": [\n{"a": 1}\n{"a": 2}]}', 'line 4: this is not valid JSON: a comma or ] is missing.'],
    ['{"users": [{}],\n}', 'line 2: this is not valid JSON: a key in quotation marks is missing.'],
    ['{"users" [{}]}', 'line 1: this is not valid JSON: a colon is missing after a key.'],
    ['{"users": }', 'line 1: this is not valid JSON: a value is missing.'],
    ['{"users": [{},]}', 'line 1: this is not valid JSON: an element of a list is missing.'],
    ['{"users": [{}] "b": 1}', 'line 1: this is not valid JSON: a comma or } is missing.'],
    ['{"users": [{"a": 1},\n{"b"', 'line 2: the file ends within a JSON document. Export it again.'],
    ['{"users": [', 'line 1: the file ends within a JSON document. Export it again.'],
    ['{"users": ["a', 'line 1: the file ends within a JSON document. Export it again.'],
    ['{"a": 1', 'line 1: the file ends within a JSON document. Export it again.'],
  ])('%j', async (text, message) => {
    await expect(split(text)).rejects.toThrow(message)
  })
})
