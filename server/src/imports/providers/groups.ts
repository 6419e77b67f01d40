import type { InputFiles } from '../input-files.ts'
import type { RowProblem } from '../row.ts'
import { readJsonItems, toText, type Values } from './items.ts'
import type { MembershipIndex } from './memberships.ts'

interface GroupOptions {
  index: MembershipIndex
  nameOf(group: Values): unknown
  /** The keys of its members. */
  membersOf(group: Values): unknown[]
}

/** Adds the members of the groups in a file with one JSON object per group. Yields the objects that are not groups. */
export async function* addGroupMembers(
  files: InputFiles,
  file: string | undefined,
  { index, nameOf, membersOf }: GroupOptions,
): AsyncGenerator<RowProblem> {
  if (file === undefined) return
  for await (const item of readJsonItems(files, file, { sections: [], hasMembers: true })) {
    if ('reason' in item) {
      yield item
      continue
    }
    const name = toText(nameOf(item.values))
    if (name === undefined) yield { line: item.line, place: item.place, reason: 'the group has no name' }
    else for (const key of membersOf(item.values)) if (typeof key === 'string') index.addToGroup(key, name)
  }
}
