import type { Ctx } from '../context.ts'
import { OperatorError } from '../errors.ts'
import type { Change, Declaration, Entry, Section } from './section.ts'

/** The difference between an instance and its declaration. */
export interface Plan {
  /** In the order in which they must be applied. */
  changes: Change[]
  /** The stored objects that are not declared and not deleted. */
  kept: string[]
}

export interface ApplyOptions {
  declaration: Declaration
  /** Whether objects may be deleted. */
  prune: boolean
}

/** Compares the sections in their order. Nothing is changed. */
export async function createPlan(ctx: Ctx, sections: Section[], { declaration, prune }: ApplyOptions): Promise<Plan> {
  const present = filterEntries(declaration, (entry) => entry.absent !== true)
  const absent = filterEntries(declaration, (entry) => entry.absent === true)
  const upserts: Change[] = []
  for (const section of sections) {
    const entries = present[section.key] ?? []
    if (entries.length > 0) {
      upserts.push(...(await section.plan(ctx, entries, { declaration: present, absent, prune })))
    }
  }
  const removals = await planRemovals(ctx, sections, { present, absent, prune })
  return {
    // Users and tenants are deleted last, after the upserts may have moved their ownership and seats to others.
    changes: [...removals.early, ...upserts, ...removals.late],
    kept: removals.kept,
  }
}

/** Runs the slow preparation of each section before the transaction begins. */
export async function prepareEntries(ctx: Ctx, sections: Section[], declaration: Declaration): Promise<Declaration> {
  const prepared = { ...declaration }
  for (const { key, prepare } of sections) {
    const entries = declaration[key]
    if (prepare && entries) prepared[key] = await prepare(ctx, entries)
  }
  return prepared
}

/** Only the changes, without deletions. */
export async function planChanges(ctx: Ctx, sections: Section[], declared: Declaration): Promise<Change[]> {
  const declaration = await prepareEntries(ctx, sections, declared)
  return (await createPlan(ctx, sections, { declaration, prune: false })).changes
}

const filterEntries = (declaration: Declaration, isWanted: (entry: Entry) => boolean): Declaration =>
  Object.fromEntries(
    Object.entries(declaration).map(([key, entries]) => [key, entries.filter((entry) => isWanted(entry as Entry))]),
  )

interface RemovalInput {
  present: Declaration
  absent: Declaration
  prune: boolean
}

interface Removals {
  /** Applied before the upserts. */
  early: Change[]
  /** Applied after the upserts. */
  late: Change[]
  kept: string[]
}

/** Sections in reverse order: a deletion must not cascade to an object that has its own deletion later. */
async function planRemovals(
  ctx: Ctx,
  sections: Section[],
  { present, absent, prune }: RemovalInput,
): Promise<Removals> {
  const removals: Removals = { early: [], late: [], kept: [] }
  for (const section of sections.toReversed()) {
    const absentEntries = (absent[section.key] ?? []) as Entry[]
    requireNoConflict(section, (present[section.key] ?? []) as Entry[], absentEntries)
    const declared = absentEntries.length > 0 ? await section.planRemoval(ctx, absentEntries) : []
    const [first] = declared
    if (first && !prune) {
      throw new OperatorError(
        `The declaration says that the ${first.subject} is to be absent. Objects are deleted only with --prune: nothing was changed.`,
      )
    }
    const undeclaredEntries = await listUndeclared(ctx, section, present)
    const undeclared = undeclaredEntries.length > 0 ? await section.planRemoval(ctx, undeclaredEntries) : []
    if (prune) {
      const entries = [...absentEntries, ...undeclaredEntries]
      requireUnreferenced(sections, present, { key: section.key, entries })
      removals[section.listKeys ? 'early' : 'late'].push(...declared, ...undeclared)
    } else {
      removals.kept.push(...undeclared.map(({ subject }) => subject))
    }
  }
  return removals
}

const keyOf = ({ keys }: Section, entry: Entry) => keys.map((key) => String(entry[key])).join(' ')

function requireNoConflict(section: Section, present: Entry[], absent: Entry[]): void {
  const absentKeys = new Set(absent.map((entry) => keyOf(section, entry).toLowerCase()))
  const conflict = present.find((entry) => absentKeys.has(keyOf(section, entry).toLowerCase()))
  if (!conflict) return
  throw new OperatorError(`${section.key} lists ${keyOf(section, conflict)} twice: as present and as absent.`)
}

/** The stored objects that are not declared. Empty when the declaration does not have this section at all. */
async function listUndeclared(ctx: Ctx, section: Section, present: Declaration): Promise<Entry[]> {
  const entries = present[section.key]
  if (!section.listKeys || !entries) return []
  const declaredKeys = new Set(entries.map((entry) => keyOf(section, entry as Entry)))
  return (await section.listKeys(ctx)).filter((entry) => !declaredKeys.has(keyOf(section, entry)))
}

/** Refuses to delete an object that a declared entry refers to. */
function requireUnreferenced(
  sections: Section[],
  present: Declaration,
  { key, entries }: { key: string; entries: Entry[] },
): void {
  for (const section of sections) {
    const fields = section.refersTo?.[key]
    if (!fields || entries.length === 0) continue
    for (const entry of (present[section.key] ?? []) as Entry[]) {
      const reference = Object.fromEntries(Object.entries(fields).map(([theirs, ours]) => [theirs, entry[ours]]))
      const isDeleted = entries.some((other) =>
        Object.keys(reference).every((field) => other[field] === reference[field]),
      )
      if (!isDeleted) continue
      throw new OperatorError(
        `${section.key} lists ${keyOf(section, entry)}, which needs ${Object.values(reference).join(' ')} of ${key}, but that is to be deleted.`,
      )
    }
  }
}
