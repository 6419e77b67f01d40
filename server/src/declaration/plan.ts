import type { Ctx } from '../context.ts'
import { OperatorError } from '../errors.ts'
import type { Change, Declaration, Entry, Section } from './section.ts'

/** What an instance lacks to match its declaration. */
export interface Plan {
  /** In the order in which they are to be made. */
  changes: Change[]
  /** What is there without being declared, and stays. */
  kept: string[]
}

export interface Wish {
  declaration: Declaration
  /** Whether things may be deleted. */
  prune: boolean
}

/** Compares section by section, in their order. Nothing is changed. */
export async function makePlan(ctx: Ctx, sections: Section[], { declaration, prune }: Wish): Promise<Plan> {
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
    // What is sold and registered goes first, so that it is in nobody's way; people and tenants last, when all that was
    // theirs is somebody else's.
    changes: [...removals.things, ...upserts, ...removals.people],
    kept: removals.kept,
  }
}

/** Lets each section do what takes long, before the transaction begins. */
export async function prepareEntries(
  ctx: Ctx,
  sections: Section[],
  declaration: Declaration,
): Promise<Declaration> {
  const prepared = { ...declaration }
  for (const { key, prepare } of sections) {
    const entries = declaration[key]
    if (prepare && entries) prepared[key] = await prepare(ctx, entries)
  }
  return prepared
}

/** The changes alone, where nothing is to be deleted. */
export async function planChanges(ctx: Ctx, sections: Section[], declared: Declaration): Promise<Change[]> {
  const declaration = await prepareEntries(ctx, sections, declared)
  return (await makePlan(ctx, sections, { declaration, prune: false })).changes
}

const filterEntries = (declaration: Declaration, fits: (entry: Entry) => boolean): Declaration =>
  Object.fromEntries(
    Object.entries(declaration).map(([key, entries]) => [
      key,
      entries.filter((entry) => fits(entry as Entry)),
    ]),
  )

interface Split {
  present: Declaration
  absent: Declaration
  prune: boolean
}

interface Removals {
  things: Change[]
  people: Change[]
  kept: string[]
}

/** What goes, in an order in which nothing takes along what is still to be deleted itself. */
async function planRemovals(
  ctx: Ctx,
  sections: Section[],
  { present, absent, prune }: Split,
): Promise<Removals> {
  const removals: Removals = { things: [], people: [], kept: [] }
  for (const section of sections.toReversed()) {
    const gone = (absent[section.key] ?? []) as Entry[]
    refuseBoth(section, (present[section.key] ?? []) as Entry[], gone)
    const wanted = gone.length > 0 ? await section.planRemoval(ctx, gone) : []
    const [first] = wanted
    if (first && !prune) {
      throw new OperatorError(
        `The declaration says that the ${first.subject} is to be absent. Things are deleted with --prune only: nothing was changed.`,
      )
    }
    const unlisted = await findUnlisted(ctx, section, present)
    const strays = unlisted.length > 0 ? await section.planRemoval(ctx, unlisted) : []
    if (prune) {
      refuseNeeded(sections, present, { key: section.key, entries: [...gone, ...unlisted] })
      removals[section.listKeys ? 'things' : 'people'].push(...wanted, ...strays)
    } else {
      removals.kept.push(...strays.map(({ subject }) => subject))
    }
  }
  return removals
}

const nameOf = ({ keys }: Section, entry: Entry) => keys.map((key) => String(entry[key])).join(' ')

function refuseBoth(section: Section, present: Entry[], absent: Entry[]): void {
  const gone = new Set(absent.map((entry) => nameOf(section, entry).toLowerCase()))
  const both = present.find((entry) => gone.has(nameOf(section, entry).toLowerCase()))
  if (!both) return
  throw new OperatorError(
    `${section.key} lists ${nameOf(section, both)} twice: to be there, and to be absent.`,
  )
}

/** What is there and, though the declaration has a section for it, not declared. */
async function findUnlisted(ctx: Ctx, section: Section, present: Declaration): Promise<Entry[]> {
  const entries = present[section.key]
  if (!section.listKeys || !entries) return []
  const listed = new Set(entries.map((entry) => nameOf(section, entry as Entry)))
  return (await section.listKeys(ctx)).filter((entry) => !listed.has(nameOf(section, entry)))
}

/** Refuses to delete what something else that is declared cannot be without. */
function refuseNeeded(
  sections: Section[],
  present: Declaration,
  { key, entries }: { key: string; entries: Entry[] },
): void {
  for (const section of sections) {
    const fields = section.refersTo?.[key]
    if (!fields || entries.length === 0) continue
    for (const entry of (present[section.key] ?? []) as Entry[]) {
      const named = Object.fromEntries(Object.entries(fields).map(([theirs, ours]) => [theirs, entry[ours]]))
      const wanted = entries.find((other) =>
        Object.keys(named).every((field) => other[field] === named[field]),
      )
      if (!wanted) continue
      throw new OperatorError(
        `${section.key} lists ${nameOf(section, entry)}, which cannot be without ${Object.values(named).join(' ')} of ${key}, which is to be deleted.`,
      )
    }
  }
}
