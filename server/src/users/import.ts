import { type AuditEvent, type AuditSource, recordAuditEvents } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Db, Tx } from '../db/open.ts'
import { inSavepoint } from '../db/savepoint.ts'
import { AppError } from '../errors.ts'
import { newId } from '../lib/ids.ts'
import { importTotpSecrets } from './factors/totp.ts'
import { insertUsersIfNew } from './import-store.ts'
import { changeDeclaredUser } from './operator-changes.ts'
import {
  completePlaceholder,
  findUnverifiedWithRights,
  isPlaceholder,
  isUnverified,
  takeOverUnverified,
} from './placeholders.ts'
import { type ProfileTexts, toColumns } from './profile-fields.ts'
import { listUsersByEmail, type User, type UserChange } from './store.ts'

/** Import of users from another system, in batches. */

/** A validated user of the other system. The address is in canonical form. */
export interface ImportedPerson {
  email: string
  emailVerified: boolean
  passwordHash: string | null
  /** Undefined: not part of the import. */
  disabled: boolean | undefined
  profile: ProfileTexts
  /** Of the authenticator app, in base32. */
  totpSecret?: string | undefined
}

/** What to do with an existing account. */
export type OnConflict = 'skip' | 'update'

/**
 * `deletionScheduled`: the existing account is scheduled for deletion. `unverifiedWithRights`: the existing account is unverified but has
 * rights, so it cannot be taken over. `refused`: a rule forbids the change.
 */
export type ImportOutcome =
  | 'imported'
  | 'updated'
  | 'unchanged'
  | 'skipped'
  | 'deletionScheduled'
  | 'unverifiedWithRights'
  | 'refused'

export interface ImportResult {
  userId: string
  outcome: ImportOutcome
  /** Why the change was refused. */
  reason?: string
}

/** Imports people with distinct addresses. Returns the results by address. */
export async function importUserRows(
  ctx: Ctx,
  tx: Tx,
  { people, onConflict, source }: { people: ImportedPerson[]; onConflict: OnConflict; source: AuditSource },
): Promise<Map<string, ImportResult>> {
  const results = new Map<string, ImportResult>()
  // Sorted by address, so that concurrent imports of the same people do not deadlock.
  const ordered = people.toSorted((a, b) => (a.email < b.email ? -1 : 1))
  const added = await insertUsersIfNew(
    tx,
    ordered.map((person) => toRow(ctx, person)),
  )
  for (const { id: userId, email } of added) results.set(email, { userId, outcome: 'imported' })
  const rest = ordered.filter(({ email }) => !results.has(email))
  const existingByEmail = await findExisting(tx, rest)
  for (const person of rest) {
    const existing = existingByEmail.get(person.email)
    if (existing) {
      results.set(person.email, await importExisting(ctx, tx, { person, ...existing, onConflict, source }))
    }
  }
  const imported = ordered.filter(({ email }) => results.get(email)?.outcome === 'imported')
  await recordAuditEvents(
    ctx,
    tx,
    imported.map((person) => toAuditEvent(person, results.get(person.email)?.userId, source)),
  )
  const secrets = imported.flatMap(({ email, totpSecret }) => {
    const userId = results.get(email)?.userId
    return userId && totpSecret ? [{ userId, secret: totpSecret }] : []
  })
  await importTotpSecrets(ctx, tx, secrets)
  await recordAuditEvents(
    ctx,
    tx,
    secrets.map(({ userId }) => ({ action: 'user.totp_enabled', ...source, userId })),
  )
  return results
}

/** The expected outcomes by address. A refusal cannot be predicted. */
export async function previewImport(
  db: Db,
  { people, onConflict }: { people: ImportedPerson[]; onConflict: OnConflict },
): Promise<Map<string, ImportOutcome>> {
  const existingByEmail = await findExisting(db, people)
  return new Map(
    people.map((person) => {
      const existing = existingByEmail.get(person.email)
      const isNew = !existing || isReplaceable(existing, person)
      return [person.email, isNew ? 'imported' : toOutcome(existing, person, onConflict)]
    }),
  )
}

interface ExistingUser {
  user: User
  /** The account is unverified but has rights, which the imported person must not inherit. */
  hasUnverifiedRights: boolean
}

/** The existing users with these addresses, by address. */
async function findExisting(db: Db, people: ImportedPerson[]): Promise<Map<string, ExistingUser>> {
  if (people.length === 0) return new Map()
  const users = await listUsersByEmail(
    db,
    people.map(({ email }) => email),
  )
  const withRights = await findUnverifiedWithRights(db, users)
  return new Map(users.map((user) => [user.email, { user, hasUnverifiedRights: withRights.has(user.id) }]))
}

const toUserColumns = ({ emailVerified, passwordHash, disabled = false, profile }: ImportedPerson) => ({
  email_verified: emailVerified,
  // A contested address needs more than a mailed link until it is verified.
  contested: !emailVerified,
  password_hash: passwordHash,
  disabled,
  ...toColumns(profile),
})

function toRow(ctx: Ctx, person: ImportedPerson) {
  const now = ctx.now()
  return {
    id: newId(),
    email: person.email,
    display_name: null,
    given_name: null,
    family_name: null,
    is_super_admin: false,
    created_at: now,
    updated_at: now,
    ...toUserColumns(person),
  }
}

function toAuditEvent(person: ImportedPerson, userId: string | undefined, source: AuditSource): AuditEvent {
  const { email, emailVerified, passwordHash, disabled = false } = person
  const details = { emailVerified, hasPassword: passwordHash !== null, disabled }
  return { action: 'user.imported', ...source, ...(userId && { userId }), details, personal: { email } }
}

/** A verified person replaces an unverified account; any person replaces a placeholder account. */
const isReplaceable = ({ user, hasUnverifiedRights }: ExistingUser, { emailVerified }: ImportedPerson): boolean =>
  !hasUnverifiedRights && (emailVerified ? isUnverified(user) : isPlaceholder(user))

interface ExistingUserImport extends ExistingUser {
  person: ImportedPerson
  onConflict: OnConflict
  source: AuditSource
}

async function importExisting(
  ctx: Ctx,
  tx: Tx,
  { person, onConflict, source, ...existing }: ExistingUserImport,
): Promise<ImportResult> {
  const { user } = existing
  if (isReplaceable(existing, person)) {
    const complete = person.emailVerified ? takeOverUnverified : completePlaceholder
    const completed = await complete(ctx, tx, person.email, toUserColumns(person))
    // The account was verified or completed after the read.
    return { userId: user.id, outcome: completed ? 'imported' : 'skipped' }
  }
  const outcome = toOutcome(existing, person, onConflict)
  if (outcome !== 'updated') return { userId: user.id, outcome }
  try {
    const change = toChange(user, person)
    await inSavepoint(tx, () => changeDeclaredUser(ctx, tx, { user, change, source }))
    return { userId: user.id, outcome }
  } catch (error) {
    // A refused change must not fail the rest of the batch.
    if (!(error instanceof AppError) || error.status >= 500) throw error
    return { userId: user.id, outcome: 'refused', reason: error.message.replace(/\.$/, '') }
  }
}

function toOutcome(
  { user, hasUnverifiedRights }: ExistingUser,
  person: ImportedPerson,
  onConflict: OnConflict,
): ImportOutcome {
  if (user.deletion_requested_at !== null) return 'deletionScheduled'
  if (hasUnverifiedRights && person.emailVerified) return 'unverifiedWithRights'
  if (onConflict === 'skip') return 'skipped'
  return Object.keys(toChange(user, person)).length > 0 ? 'updated' : 'unchanged'
}

/** Existing accounts keep their password and the verification of their address. */
function toChange(user: User, { disabled, profile }: ImportedPerson): UserChange {
  const imported: UserChange = { ...toColumns(profile), ...(disabled !== undefined && { disabled }) }
  const columns = Object.keys(imported) as (keyof UserChange)[]
  return Object.fromEntries(
    columns.filter((column) => imported[column] !== user[column]).map((column) => [column, imported[column]]),
  )
}
