import { type Static, Type } from 'typebox'
import { OPERATOR } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { describeFields, describeStep, hidden, inEntry, refuseTwice } from '../declaration/compare.ts'
import type { Change, Entry, Section } from '../declaration/section.ts'
import { OperatorError } from '../errors.ts'
import { parseEmail } from '../lib/email.ts'
import { alterUser } from './alteration.ts'
import { hashChosenPassword } from './chosen-password.ts'
import { streamUsers } from './declare/store.ts'
import { erasedAt, scheduleDeletion } from './deletion.ts'
import { passwordHashProblem } from './password-hashes.ts'
import { findSettled, isPlaceholder, isUnproven } from './placeholders.ts'
import { PROFILE_COLUMNS, PROFILE_FIELDS, PROFILE_NAMES } from './profile-fields.ts'
import { createUser } from './service.ts'
import { listUsersByEmail, lockUser, type User, type UserChange } from './store.ts'

const text = Type.Optional(Type.String({ minLength: 1, maxLength: 2_048 }))

const DeclaredUser = Type.Object(
  {
    email: Type.String(),
    /** Given to a person who is new: whether the address is known to be theirs. It is unless this says otherwise. */
    emailVerified: Type.Optional(Type.Boolean()),
    /** Given to a person who is new. Whoever is here already keeps the password they chose. */
    password: Type.Optional(Type.String()),
    /** Given to a person who is new, instead of a password: its hash, from the system they come from. */
    passwordHash: Type.Optional(Type.String()),
    /** Whether a password opens the account at all. */
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
    /** Nobody signs in, and all that is signed in ends. */
    disabled: Type.Optional(Type.Boolean()),
    superAdmin: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
type DeclaredUser = Static<typeof DeclaredUser>
/** With the hash of the password, where somebody is to be made. */
type PreparedUser = DeclaredUser & { newHash?: string }

/** What a declaration may change about a person, and where it is kept. */
const COLUMNS = {
  ...PROFILE_COLUMNS,
  superAdmin: 'is_super_admin',
  passwordSignIn: 'password_sign_in',
  disabled: 'disabled',
} as const satisfies Partial<Record<keyof DeclaredUser, keyof UserChange>>
const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]

export const usersSection: Section = {
  key: 'users',
  entry: DeclaredUser,
  keys: ['email'],
  prepare: hashPasswords,
  async plan(ctx, entries) {
    const declared = (entries as PreparedUser[]).map((entry) => ({ ...entry, email: canonical(entry.email) }))
    const emails = declared.map(({ email }) => email)
    refuseTwice('user', emails)
    declared.forEach(requireUsableHash)
    declared.forEach(requireSense)
    const known = declared.map(withReadProfile)
    const here = new Map((await listUsersByEmail(ctx.db, emails)).map((user) => [user.email, user]))
    const settled = await findSettled(ctx.db, [...here.values()])
    return known.flatMap((entry) => {
      const user = here.get(entry.email)
      const stays = user && (settled.has(user.id) || isWhoIsMeant(user, entry))
      return stays ? planUpdate(ctx, user, entry) : planCreation(ctx, entry)
    })
  },
  planRemoval,
  export: exportUsers,
}

/** Hashes the passwords of people who are new, one after the other: others sign in meanwhile. */
async function hashPasswords(ctx: Ctx, entries: unknown[]): Promise<PreparedUser[]> {
  const declared = entries as DeclaredUser[]
  const secret = declared.filter(({ password }) => password !== undefined)
  const here = await listUsersByEmail(
    ctx.db,
    secret.map(({ email }) => canonical(email)),
  )
  const known = new Set(here.filter((user) => !isUnproven(user)).map(({ email }) => email))
  const prepared: PreparedUser[] = []
  for (const entry of declared) {
    const isNew = entry.password !== undefined && !known.has(canonical(entry.email))
    prepared.push(isNew ? { ...entry, newHash: await hashDeclared(entry) } : entry)
  }
  return prepared
}

async function hashDeclared(entry: DeclaredUser): Promise<string> {
  const { password = '', givenName, familyName, displayName, superAdmin = false } = entry
  const email = canonical(entry.email)
  const names = [givenName, familyName, displayName]
  return inEntry(`user ${email}`, () => hashChosenPassword(password, { email, names, superAdmin }))
}

/** An address that nobody has proven is nobody's yet, unless that is just what is declared. */
const isWhoIsMeant = (user: User, { emailVerified = true }: DeclaredUser) =>
  !isUnproven(user) || (!emailVerified && !isPlaceholder(user))

function canonical(text: string): string {
  const email = parseEmail(text)
  if (!email)
    throw new OperatorError(`The declaration lists a user whose email is "${text}": that is no address.`)
  return email
}

function requireUsableHash({ email, password, passwordHash }: DeclaredUser): void {
  if (passwordHash === undefined) return
  if (password !== undefined)
    throw new OperatorError(`The user ${email} is declared with a password and a passwordHash: one will do.`)
  const problem = passwordHashProblem(passwordHash)
  if (problem) throw new OperatorError(`The passwordHash of the user ${email} cannot be taken: ${problem}`)
}

/** Without a proven address there is a password or nobody, and never the most powerful right of all. */
function requireSense({ email, emailVerified, password, passwordHash, superAdmin }: DeclaredUser): void {
  if (emailVerified !== false) return
  if (superAdmin)
    throw new OperatorError(`The user ${email} cannot be a Super Admin with an unproven address.`)
  if (password === undefined && passwordHash === undefined)
    throw new OperatorError(
      `The user ${email} has neither a proven address nor a password: nobody could sign in.`,
    )
}

function withReadProfile(entry: PreparedUser): PreparedUser {
  const read = PROFILE_NAMES.flatMap((name) => {
    const text = entry[name]
    if (text === undefined) return []
    const value = PROFILE_FIELDS[name].read(text)
    if (value === undefined)
      throw new OperatorError(`The ${name} of the user ${entry.email} ${PROFILE_FIELDS[name].rule}.`)
    return [[name, value] as const]
  })
  return { ...entry, ...Object.fromEntries(read) }
}

const planCreation = (ctx: Ctx, entry: PreparedUser): Change[] => [
  {
    action: 'create',
    subject: `user ${entry.email}`,
    fields: [
      ...describeFields(entry, ['emailVerified', ...NAMES]),
      ...hidden(entry, ['password', 'passwordHash']),
    ],
    apply: (tx) =>
      createUser(
        ctx,
        tx,
        { ...entry, superAdmin: entry.superAdmin ?? false, passwordHash: requireHash(entry) },
        OPERATOR,
      ),
  },
]

function requireHash({ email, password, passwordHash, newHash }: PreparedUser): string | undefined {
  if (password !== undefined && newHash === undefined)
    throw new OperatorError(`The user ${email} was erased at this moment. Apply the declaration again.`)
  return newHash ?? passwordHash
}

function planUpdate(ctx: Ctx, user: User, entry: DeclaredUser): Change[] {
  // What the declaration leaves out is left alone.
  const changed = NAMES.filter((name) => entry[name] !== undefined && entry[name] !== user[COLUMNS[name]])
  if (changed.length === 0) return []
  if (isUnproven(user) && changed.includes('superAdmin') && entry.superAdmin)
    throw new OperatorError(
      `The user ${user.email} cannot become a Super Admin before they have proven the address.`,
    )
  const change: UserChange = Object.fromEntries(changed.map((name) => [COLUMNS[name], entry[name]]))
  return [
    {
      action: 'update',
      subject: `user ${user.email}`,
      fields: changed.map((name) => describeStep(name, user[COLUMNS[name]], entry[name])),
      apply: (tx) => alterUser(ctx, tx, { user, change, source: OPERATOR }),
    },
  ]
}

/** Whoever is to be gone is let go as if they had asked for it, and may be taken back for as long. */
async function planRemoval(ctx: Ctx, entries: Entry[]): Promise<Change[]> {
  const emails = entries.map(({ email }) => canonical(String(email)))
  const here = await listUsersByEmail(ctx.db, emails)
  return here
    .filter((user) => user.deletion_requested_at === null && !isPlaceholder(user))
    .map((user) => ({
      action: 'delete',
      subject: `user ${user.email}`,
      fields: [`leaves at once, and is erased on ${erasedAt(ctx.now()).toISOString().slice(0, 10)}`],
      async apply(tx) {
        const locked = await lockUser(tx, user.id)
        if (locked?.deletion_requested_at === null) {
          await scheduleDeletion(ctx, tx, { user: locked, ...OPERATOR })
        }
      },
    }))
}

async function* exportUsers({ db }: Ctx, { withSecrets }: { withSecrets: boolean }): AsyncGenerator<Entry> {
  for await (const user of streamUsers(db, { unproven: withSecrets })) {
    yield {
      email: user.email,
      ...(!user.email_verified && { emailVerified: false }),
      ...(withSecrets && user.password_hash !== null && { passwordHash: user.password_hash }),
      ...Object.fromEntries(
        NAMES.flatMap((name) => (user[COLUMNS[name]] === null ? [] : [[name, user[COLUMNS[name]]]])),
      ),
    }
  }
}
