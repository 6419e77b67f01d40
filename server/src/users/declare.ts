import { type Static, Type } from 'typebox'
import { OPERATOR_SOURCE } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import {
  describeFieldChange,
  describeFields,
  describeHidden,
  requireUniqueKeys,
  withEntryContext,
} from '../declaration/compare.ts'
import type { Change, Entry, Section } from '../declaration/section.ts'
import { OperatorError } from '../errors.ts'
import { parseEmail } from '../lib/email.ts'
import { hashChosenPassword } from './chosen-password.ts'
import { createUser } from './create-user.ts'
import { streamUsers } from './declare-store.ts'
import { scheduleDeletion, toErasureDate } from './deletion.ts'
import { changeDeclaredUser } from './operator-changes.ts'
import { passwordHashProblem } from './password-hashes.ts'
import { findUnverifiedWithRights, isPlaceholder, isUnverified } from './placeholders.ts'
import { PROFILE_COLUMNS, PROFILE_FIELD_NAMES, PROFILE_FIELDS } from './profile-fields.ts'
import { listUsersByEmail, lockUser, type User, type UserChange } from './store.ts'

const text = Type.Optional(Type.String({ minLength: 1, maxLength: 2_048 }))

const DeclaredUser = Type.Object(
  {
    email: Type.String(),
    /** For new users only. True by default. */
    emailVerified: Type.Optional(Type.Boolean()),
    /** For new users only: existing users keep their password. */
    password: Type.Optional(Type.String()),
    /** For new users only: the hash of another system, instead of a password. */
    passwordHash: Type.Optional(Type.String()),
    /** Whether sign-in with a password is allowed. */
    passwordSignIn: Type.Optional(Type.Boolean()),
    givenName: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    familyName: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    middleName: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    displayName: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    nickname: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    pictureUrl: text,
    website: text,
    zoneinfo: text,
    locale: text,
    phone: text,
    /** Prevents sign-in and ends every session. */
    disabled: Type.Optional(Type.Boolean()),
    superAdmin: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
type DeclaredUser = Static<typeof DeclaredUser>
/** With the hash of the password of a new user. */
type PreparedUser = DeclaredUser & { newHash?: string }

/** The fields that a declaration may change, with their columns. */
const COLUMNS = {
  ...PROFILE_COLUMNS,
  superAdmin: 'is_super_admin',
  passwordSignIn: 'password_sign_in',
  disabled: 'disabled',
} as const satisfies Partial<Record<keyof DeclaredUser, keyof UserChange>>
const FIELDS = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]

export const usersSection: Section = {
  key: 'users',
  entry: DeclaredUser,
  keys: ['email'],
  prepare: hashPasswords,
  async plan(ctx, entries) {
    const declared = (entries as PreparedUser[]).map((entry) => ({ ...entry, email: canonical(entry.email) }))
    const emails = declared.map(({ email }) => email)
    requireUniqueKeys('user', emails)
    declared.forEach(requireUsableHash)
    declared.forEach(requireConsistentEntry)
    const parsed = declared.map(parseProfile)
    const existing = new Map((await listUsersByEmail(ctx.db, emails)).map((user) => [user.email, user]))
    const withRights = await findUnverifiedWithRights(ctx.db, [...existing.values()])
    return parsed.flatMap((entry) => {
      const user = existing.get(entry.email)
      const isUpdate = user && (withRights.has(user.id) || isDeclaredUser(user, entry))
      return isUpdate ? planUpdate(ctx, user, entry) : planCreation(ctx, entry)
    })
  },
  planRemoval,
  export: exportUsers,
}

/** Hashes the passwords of new users, one at a time to leave capacity for sign-ins. */
async function hashPasswords(ctx: Ctx, entries: unknown[]): Promise<PreparedUser[]> {
  const declared = entries as DeclaredUser[]
  const withPassword = declared.filter(({ password }) => password !== undefined)
  const existing = await listUsersByEmail(
    ctx.db,
    withPassword.map(({ email }) => canonical(email)),
  )
  const verified = new Set(existing.filter((user) => !isUnverified(user)).map(({ email }) => email))
  const prepared: PreparedUser[] = []
  for (const entry of declared) {
    const isNew = entry.password !== undefined && !verified.has(canonical(entry.email))
    prepared.push(isNew ? { ...entry, newHash: await hashDeclaredPassword(entry) } : entry)
  }
  return prepared
}

async function hashDeclaredPassword(entry: DeclaredUser): Promise<string> {
  const { password = '', givenName, familyName, displayName, superAdmin = false } = entry
  const email = canonical(entry.email)
  const names = [givenName, familyName, displayName]
  return withEntryContext(`user ${email}`, () => hashChosenPassword(password, { email, names, superAdmin }))
}

/** An unverified account is the declared user only if the declaration says that the address is unverified. */
const isDeclaredUser = (user: User, { emailVerified = true }: DeclaredUser) =>
  !isUnverified(user) || (!emailVerified && !isPlaceholder(user))

function canonical(text: string): string {
  const email = parseEmail(text)
  if (!email) throw new OperatorError(`The declaration lists a user whose email is "${text}": that is no address.`)
  return email
}

function requireUsableHash({ email, password, passwordHash }: DeclaredUser): void {
  if (passwordHash === undefined) return
  if (password !== undefined)
    throw new OperatorError(`The user ${email} is declared with a password and a passwordHash: one will do.`)
  const problem = passwordHashProblem(passwordHash)
  if (problem) throw new OperatorError(`The passwordHash of the user ${email} cannot be taken: ${problem}`)
}

/** A user with an unverified address needs a password and cannot be a Super Admin. */
function requireConsistentEntry({ email, emailVerified, password, passwordHash, superAdmin }: DeclaredUser): void {
  if (emailVerified !== false) return
  if (superAdmin) throw new OperatorError(`The user ${email} cannot be a Super Admin with an unproven address.`)
  if (password === undefined && passwordHash === undefined)
    throw new OperatorError(`The user ${email} has neither a proven address nor a password: nobody could sign in.`)
}

function parseProfile(entry: PreparedUser): PreparedUser {
  const parsed = PROFILE_FIELD_NAMES.flatMap((name) => {
    const text = entry[name]
    if (text === undefined) return []
    const value = PROFILE_FIELDS[name].read(text)
    if (value === undefined)
      throw new OperatorError(`The ${name} of the user ${entry.email} ${PROFILE_FIELDS[name].rule}.`)
    return [[name, value] as const]
  })
  return { ...entry, ...Object.fromEntries(parsed) }
}

const planCreation = (ctx: Ctx, entry: PreparedUser): Change[] => [
  {
    action: 'create',
    subject: `user ${entry.email}`,
    fields: [
      ...describeFields(entry, ['emailVerified', ...FIELDS]),
      ...describeHidden(entry, ['password', 'passwordHash']),
    ],
    apply: async (tx) => {
      const user = { ...entry, superAdmin: entry.superAdmin ?? false, passwordHash: requireHash(entry) }
      await createUser(ctx, tx, user, { source: OPERATOR_SOURCE, takesOverUnverified: true })
    },
  },
]

function requireHash({ email, password, passwordHash, newHash }: PreparedUser): string | undefined {
  if (password !== undefined && newHash === undefined)
    throw new OperatorError(`The user ${email} was erased at this moment. Apply the declaration again.`)
  return newHash ?? passwordHash
}

function planUpdate(ctx: Ctx, user: User, entry: DeclaredUser): Change[] {
  // Fields that the declaration omits stay unchanged.
  const changed = FIELDS.filter((field) => entry[field] !== undefined && entry[field] !== user[COLUMNS[field]])
  if (changed.length === 0) return []
  if (isUnverified(user) && changed.includes('superAdmin') && entry.superAdmin)
    throw new OperatorError(`The user ${user.email} cannot become a Super Admin before they have proven the address.`)
  const change: UserChange = Object.fromEntries(changed.map((field) => [COLUMNS[field], entry[field]]))
  return [
    {
      action: 'update',
      subject: `user ${user.email}`,
      fields: changed.map((field) => describeFieldChange(field, user[COLUMNS[field]], entry[field])),
      apply: (tx) => changeDeclaredUser(ctx, tx, { user, change, source: OPERATOR_SOURCE }),
    },
  ]
}

/** Schedules the deletion, as for a user's own request, with the same grace period. */
async function planRemoval(ctx: Ctx, entries: Entry[]): Promise<Change[]> {
  const emails = entries.map(({ email }) => canonical(String(email)))
  const existing = await listUsersByEmail(ctx.db, emails)
  return existing
    .filter((user) => user.deletion_requested_at === null && !isPlaceholder(user))
    .map((user) => ({
      action: 'delete',
      subject: `user ${user.email}`,
      fields: [`leaves at once, and is erased on ${toErasureDate(ctx.now()).toISOString().slice(0, 10)}`],
      async apply(tx) {
        const locked = await lockUser(tx, user.id)
        if (locked?.deletion_requested_at === null) {
          await scheduleDeletion(ctx, tx, { user: locked, ...OPERATOR_SOURCE })
        }
      },
    }))
}

async function* exportUsers({ db }: Ctx, { withSecrets }: { withSecrets: boolean }): AsyncGenerator<Entry> {
  for await (const user of streamUsers(db, { includeUnverified: withSecrets })) {
    yield {
      email: user.email,
      ...(!user.email_verified && { emailVerified: false }),
      ...(withSecrets && user.password_hash !== null && { passwordHash: user.password_hash }),
      ...Object.fromEntries(
        FIELDS.flatMap((field) => (user[COLUMNS[field]] === null ? [] : [[field, user[COLUMNS[field]]]])),
      ),
    }
  }
}
