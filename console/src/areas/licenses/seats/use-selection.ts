import { useState } from 'react'
import type { MemberSeat } from '../types.ts'

/** The selected members across pages. */
export interface Selection {
  selected: MemberSeat[]
  has: (member: MemberSeat) => boolean
  toggle: (members: MemberSeat[], selected: boolean) => void
  clear: () => void
}

/** Members on the current page are updated from `page`. Others keep the state from when they were selected. */
export function useSelection(page: MemberSeat[]): Selection {
  const [byUserId, setByUserId] = useState<Map<string, MemberSeat>>(new Map())
  const current = new Map(page.map((member) => [member.userId, member]))
  return {
    selected: [...byUserId.values()].map((member) => current.get(member.userId) ?? member),
    has: ({ userId }) => byUserId.has(userId),
    toggle: (members, selected) =>
      setByUserId((previous) => {
        const next = new Map(previous)
        for (const member of members) {
          if (selected) next.set(member.userId, member)
          else next.delete(member.userId)
        }
        return next
      }),
    clear: () => setByUserId(new Map()),
  }
}
