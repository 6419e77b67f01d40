import { useState } from 'react'
import type { MemberSeat } from '../types.ts'
import { deselect, type SeenMembers, type SelectedMembers, select, update } from './selection.ts'

/** The selected members across pages. */
export interface Selection {
  selected: MemberSeat[]
  has: (member: MemberSeat) => boolean
  select: (seen: SeenMembers) => void
  /** Selects or deselects members of the current page. */
  toggle: (members: MemberSeat[], selected: boolean) => void
  clear: () => void
}

/** Each member keeps the newest state that a page has shown, also when another page is shown now. */
export function useSelection(page: SeenMembers): Selection {
  const [byUserId, setByUserId] = useState<SelectedMembers>(new Map())
  const newest = update(byUserId, page)
  if (newest !== byUserId) setByUserId(newest)
  return {
    selected: [...newest.values()].map(({ member }) => member),
    has: ({ userId }) => newest.has(userId),
    select: (seen) => setByUserId((previous) => select(previous, seen)),
    toggle: (members, selected) =>
      setByUserId((previous) => (selected ? select(previous, { ...page, members }) : deselect(previous, members))),
    clear: () => setByUserId(new Map()),
  }
}
