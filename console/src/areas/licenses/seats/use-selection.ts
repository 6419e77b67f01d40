import { useState } from 'react'
import type { SeatOfMember } from '../types.ts'

/** Who is selected, on whatever page they stand. */
export interface Selection {
  chosen: SeatOfMember[]
  has: (member: SeatOfMember) => boolean
  toggle: (members: SeatOfMember[], selected: boolean) => void
  clear: () => void
}

/** `page` tells what those on it hold by now; of the others it is known from when they were chosen. */
export function useSelection(page: SeatOfMember[]): Selection {
  const [kept, setKept] = useState<Map<string, SeatOfMember>>(new Map())
  const now = new Map(page.map((member) => [member.userId, member]))
  return {
    chosen: [...kept.values()].map((member) => now.get(member.userId) ?? member),
    has: ({ userId }) => kept.has(userId),
    toggle: (members, selected) =>
      setKept((former) => {
        const next = new Map(former)
        for (const member of members) {
          if (selected) next.set(member.userId, member)
          else next.delete(member.userId)
        }
        return next
      }),
    clear: () => setKept(new Map()),
  }
}
