import { type Entry, recordMany, type Source } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Db, Tx } from '../db/open.ts'
import { inSavepoint } from '../db/savepoint.ts'
import { AppError } from '../errors.ts'
import { newId } from '../lib/ids.ts'
import { alterUser } from './alteration.ts'
import { insertUsersIfNew } from './import/store.ts'
import { completePlaceholder, findSettled, isPlaceholder, isUnproven, takeOver } from './placeholders.ts'
import { type ProfileTexts, toColumns } from './profile-fields.ts'
import { listUsersByEmail, type User, type UserChange } from './store.ts'

/** People who come from another system, many at a time. */

/** Somebody as the other system knew them, checked. The address is in canonical form. */
export interface ImportedPerson {
  email: string
  emailVerified: boolean
  passwordHash: string | null
  /** Undefined: the other system does not say. */
  disabled: boolean | undefined
  profile: ProfileTexts
}

/** What is done about somebody who is here already. */
export type OnConflict = 'skip' | 'update'

/**
 * What became of somebody. LEAVING: they are here, and have asked to be deleted. SETTLED: somebody has rights here under
 * the address without having proven it. REFUSED: a rule was in the way.
 */
export type Outcome = 'imported' | 'updated' | 'unchanged' | 'skipped' | 'leaving' | 'settled' | 'refused'

export interface Arrival {
  userId: string
  outcome: Outcome
  /** The rule that was in the way. */
  reason?: string
}

/** No two of the people have one address. The answer is by address. */
export async function importPeople(
  ctx: Ctx,
  tx: Tx,
  { people, onConflict, source }: { people: ImportedPerson[]; onConflict: OnConflict; source: Source },
): Promise<Map<string, Arrival>> {
  const arrivals = new Map<string, Arrival>()
  // By address, so that two who import the same people do not wait for each other in a circle.
  const ordered = people.toSorted((a, b) => (a.email < b.email ? -1 : 1))
  const added = await insertUsersIfNew(
    tx,
    ordered.map((person) => toRow(ctx, person)),
  )
  for (const { id: userId, email } of added) arrivals.set(email, { userId, outcome: 'imported' })
  const rest = ordered.filter(({ email }) => !arrivals.has(email))
  const here = await findThem(tx, rest)
  for (const person of rest) {
    const present = here.get(person.email)
    if (present) arrivals.set(person.email, await meet(ctx, tx, { person, ...present, onConflict, source }))
  }
  const imported = ordered.filter(({ email }) => arrivals.get(email)?.outcome === 'imported')
  await recordMany(
    ctx,
    tx,
    imported.map((person) => toEntry(person, arrivals.get(person.email)?.userId, source)),
  )
  return arrivals
}

/** What would become of them, as far as one can tell beforehand. */
export async function foreseePeople(
  db: Db,
  { people, onConflict }: { people: ImportedPerson[]; onConflict: OnConflict },
): Promise<Map<string, Outcome>> {
  const here = await findThem(db, people)
  return new Map(
    people.map((person) => {
      const present = here.get(person.email)
      const isNew = !present || makesWay(present, person)
      return [person.email, isNew ? 'imported' : judge(present, person, onConflict)]
    }),
  )
}

/** Somebody who has an address already. */
interface Present {
  user: User
  /** They have not proven the address, and have rights here all the same, which nobody else is to come by. */
  settled: boolean
}

/** Whoever is here of these people, by address. */
async function findThem(db: Db, people: ImportedPerson[]): Promise<Map<string, Present>> {
  if (people.length === 0) return new Map()
  const users = await listUsersByEmail(
    db,
    people.map(({ email }) => email),
  )
  const settled = await findSettled(db, users)
  return new Map(users.map((user) => [user.email, { user, settled: settled.has(user.id) }]))
}

const describe = ({ emailVerified, passwordHash, disabled = false, profile }: ImportedPerson) => ({
  email_verified: emailVerified,
  // Until they have shown that the address is theirs, more than a link that was sent there is asked for.
  contested: !emailVerified,
  password_hash: passwordHash,
  disabled,
  ...toColumns(profile),
})

function toRow(ctx: Ctx, person: ImportedPerson) {
  const now = ctx.now()
  const blank = { display_name: null, given_name: null, family_name: null }
  const common = { is_super_admin: false, created_at: now, updated_at: now }
  return { id: newId(), email: person.email, ...blank, ...common, ...describe(person) }
}

function toEntry(person: ImportedPerson, userId: string | undefined, source: Source): Entry {
  const { email, emailVerified, passwordHash, disabled = false } = person
  const details = { emailVerified, hasPassword: passwordHash !== null, disabled }
  return { action: 'user.imported', ...source, ...(userId && { userId }), details, personal: { email } }
}

/** Whoever has not proven the address makes way for somebody who has, and a placeholder for anybody. */
const makesWay = ({ user, settled }: Present, { emailVerified }: ImportedPerson) =>
  !settled && (emailVerified ? isUnproven(user) : isPlaceholder(user))

interface Meeting extends Present {
  person: ImportedPerson
  onConflict: OnConflict
  source: Source
}

/** Somebody has the address already. */
async function meet(ctx: Ctx, tx: Tx, { person, onConflict, source, ...present }: Meeting): Promise<Arrival> {
  const { user } = present
  if (makesWay(present, person)) {
    const complete = person.emailVerified ? takeOver : completePlaceholder
    const taken = await complete(ctx, tx, person.email, describe(person))
    // Whoever became somebody between the look and the step is left as they are.
    return { userId: user.id, outcome: taken ? 'imported' : 'skipped' }
  }
  const outcome = judge(present, person, onConflict)
  if (outcome !== 'updated') return { userId: user.id, outcome }
  try {
    await inSavepoint(tx, () => alterUser(ctx, tx, { user, change: findChange(user, person), source }))
    return { userId: user.id, outcome }
  } catch (error) {
    // What one of them may not become is no reason to leave the others behind.
    if (!(error instanceof AppError) || error.status >= 500) throw error
    return { userId: user.id, outcome: 'refused', reason: error.message.replace(/\.$/, '') }
  }
}

function judge({ user, settled }: Present, person: ImportedPerson, onConflict: OnConflict): Outcome {
  if (user.deletion_requested_at !== null) return 'leaving'
  if (settled && person.emailVerified) return 'settled'
  if (onConflict === 'skip') return 'skipped'
  return Object.keys(findChange(user, person)).length > 0 ? 'updated' : 'unchanged'
}

/** Whoever is here keeps the password they have, and an address that they have proven stays so. */
function findChange(user: User, { disabled, profile }: ImportedPerson): UserChange {
  const wanted: UserChange = { ...toColumns(profile), ...(disabled !== undefined && { disabled }) }
  const names = Object.keys(wanted) as (keyof UserChange)[]
  return Object.fromEntries(
    names.filter((name) => wanted[name] !== user[name]).map((name) => [name, wanted[name]]),
  )
}
