import { expect, test } from 'vitest'
import { deselect, type SelectedMembers, select, update } from '../../../console/src/areas/licenses/seats/selection.ts'
import type { MemberSeat } from '../../../console/src/areas/licenses/types.ts'

const memberWith = (userId: string, type: string | null): MemberSeat => ({
  userId,
  membershipId: userId,
  role: 'member',
  displayName: userId,
  email: `${userId}@acme.test`,
  license: type === null ? null : { licenseTypeId: type, slug: type, name: type, assignedAt: '2026-01-01T00:00:00Z' },
})
const seen = (seenAt: number, ...members: MemberSeat[]) => ({ members, seenAt })
const typesOf = (selected: SelectedMembers) =>
  Object.fromEntries([...selected].map(([id, { member }]) => [id, member.license?.licenseTypeId ?? null]))
const NOBODY: SelectedMembers = new Map()

test('a selected member keeps the newest type that a page has shown, also after the page is left', () => {
  let selected = select(NOBODY, seen(1, memberWith('ann', 'pro'), memberWith('bob', 'pro')))
  selected = update(selected, seen(2, memberWith('ann', 'enterprise'), memberWith('carl', 'pro')))
  selected = update(selected, seen(3, memberWith('carl', null)))
  expect(typesOf(selected)).toEqual({ ann: 'enterprise', bob: 'pro' })
})

test('an older page never replaces a newer state', () => {
  const selected = select(NOBODY, seen(5, memberWith('ann', 'enterprise')))
  expect(update(selected, seen(4, memberWith('ann', 'pro')))).toBe(selected)
  expect(typesOf(select(selected, seen(4, memberWith('ann', 'pro'), memberWith('bob', null))))).toEqual({
    ann: 'enterprise',
    bob: null,
  })
})

test('a page without news leaves the selection as it is', () => {
  const selected = select(NOBODY, seen(1, memberWith('ann', 'pro')))
  expect(update(selected, seen(1, memberWith('ann', 'pro')))).toBe(selected)
  expect(update(selected, seen(2, memberWith('bob', 'pro')))).toBe(selected)
  expect(typesOf(deselect(selected, [memberWith('ann', null)]))).toEqual({})
})
