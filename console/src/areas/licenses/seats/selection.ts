import type { MemberSeat } from '../types.ts'

/** Members, and when their state was read (milliseconds since 1970). */
export interface SeenMembers {
  members: MemberSeat[]
  seenAt: number
}

/** The newest state of each selected member, by user id. */
export type SelectedMembers = ReadonlyMap<string, { member: MemberSeat; seenAt: number }>

/** Selects these members. Of a member who is selected already, the newer state stays. */
export function select(previous: SelectedMembers, { members, seenAt }: SeenMembers): SelectedMembers {
  const next = new Map(previous)
  for (const member of members) {
    if (seenAt >= (previous.get(member.userId)?.seenAt ?? 0)) next.set(member.userId, { member, seenAt })
  }
  return next
}

export function deselect(previous: SelectedMembers, members: MemberSeat[]): SelectedMembers {
  const next = new Map(previous)
  for (const { userId } of members) next.delete(userId)
  return next
}

/** Updates the selected members of this list. If it has nothing newer, returns the same map. */
export function update(previous: SelectedMembers, { members, seenAt }: SeenMembers): SelectedMembers {
  const newer = members.filter(({ userId }) => seenAt > (previous.get(userId)?.seenAt ?? seenAt))
  return newer.length === 0 ? previous : select(previous, { members: newer, seenAt })
}
