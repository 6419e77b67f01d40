import { expect, test, vi } from 'vitest'
import { createProofMemory } from '../../../sdk/node/src/used-proofs.ts'

test('an id is new once, for at least the given time, and is forgotten after twice that time', () => {
  const start = Date.now()
  const clock = vi.spyOn(Date, 'now')
  try {
    const useOnce = createProofMemory()
    const at = (seconds: number, id: string) => {
      clock.mockReturnValue(start + seconds * 1000)
      return useOnce(id, 120)
    }
    expect([at(0, 'first'), at(0, 'first'), at(100, 'late')]).toEqual([true, false, true])
    expect([at(121, 'next'), at(121, 'first'), at(219, 'late')]).toEqual([true, false, false])
    expect([at(242, 'other'), at(242, 'first')]).toEqual([true, true])
  } finally {
    clock.mockRestore()
  }
})

test('at least the last 50,000 ids are known, and at most 100,000', () => {
  const useOnce = createProofMemory()
  for (let index = 0; index < 100_000; index++) useOnce(`id ${index}`, 120)
  expect(useOnce('id 0', 120)).toBe(false)
  useOnce('id 100000', 120)
  expect([useOnce('id 50001', 120), useOnce('id 0', 120)]).toEqual([false, true])
})
